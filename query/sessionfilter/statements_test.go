package sessionfilter

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("session_ids", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Time: timeSorts["started"], Descending: true, Begin: true, Edge: true, Floor: true,
		}),
		querytest.NewStatement("session_ids_few", "session_ids", sessionIDsShape{SortKey: sortKeys["last_at"], Time: timeSorts["last_at"], Edge: true, Few: true}),
		querytest.NewStatement("session_ids_filtered", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Descending: true, Agents: true, Tools: true, Models: true, Text: true, From: true, To: true,
			After: true, OrCut: true, RunStatuses: true, Tags: []TagFilter{{Key: "k", Value: "v"}, {Key: "k", AnyValue: true}, {Key: "k"}},
		}),
		querytest.NewStatement("session_ids_of_usage", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Providers: true, Runs: true, Nodes: true, ServiceTiers: true, CallStatuses: true, From: true,
		}),
		querytest.NewStatement("session_ids_without_names", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Agents: true, Models: true, Unnamed: []string{"agent", "model"},
			Tools: true, NoToolName: true, Unknown: []Unknown{"call_model", "tool_agent"}, From: true,
		}),
		querytest.NewStatement("session_ids_by_tokens", "session_ids", sessionIDsShape{
			SortKey: sortKeys["tokens"], Descending: true, Tokens: true, MinTokens: true, MaxTokens: true, MinDuration: true, MaxDuration: true,
			Dialects: true, Outdated: true, Labels: true, Thumbs: true, From: true, After: true,
		}),
		querytest.NewStatement("session_ids_by_duration", "session_ids", sessionIDsShape{SortKey: sortKeys["duration"], Descending: true, Apart: true, After: true}),
		querytest.NewStatement("several_rows", "several_rows", nil),
		querytest.NewStatement("session_bounds", "session_bounds", sessionIDsShape{Descending: true, Agents: true, From: true, After: true}),
		querytest.NewStatement("session_window", "session_window", sessionIDsShape{Time: timeSorts["last_at"], Descending: true, Begin: true, Few: true}),
		querytest.NewStatement("session_spans", "session_spans", nil),
		querytest.NewStatement("session_usage", "session_usage", cellShape{Source: rollup.Source{All: true, Unsettled: true, OfSessions: true}}),
		querytest.NewStatement("session_usage_settled", "session_usage", cellShape{
			TagNames: []string{"customer"}, Source: rollup.Source{Settled: true, Unsettled: true, Remade: true, OfSessions: true},
		}),
		querytest.NewStatement("session_ids_by_cost", "session_ids", sessionIDsShape{
			SortKey: sortKeys["cost"], Descending: true, Cost: true, Few: true, MinCost: true, KnownCost: true, StoredCosts: true,
			cellShape: cellShape{Source: rollup.Source{Unsettled: true, Remade: true}},
		}),
		querytest.NewStatement("settled_candidates", "settled_candidates", candidatesShape{
			SortKey: settledKeys["cost"], Descending: true, From: true, After: true, MinCost: true, MaxCost: true,
			Source: rollup.Source{Unsettled: true, Remade: true},
		}),
		querytest.NewStatement("settled_sessions", "settled_sessions", rollup.Source{Settled: true, Remade: true}),
	)
}

package modelcalls

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
)

func TestStatements(t *testing.T) {
	calls := func(g grouping.Granularity) grouping.Shape {
		return grouping.Shape{Period: g.Expression("seen_ns"), Source: rollup.Source{Settled: true}}
	}
	narrowed := calls(grouping.Monthly)
	narrowed.Source = rollup.Source{Unsettled: true, All: true}
	narrowed.Groups = []string{groupColumns["model"], groupColumns["session"]}
	narrowed.From, narrowed.To, narrowed.Among = true, true, true
	settled := calls(grouping.Daily)
	settled.From, settled.To, settled.Among, settled.Source = true, true, true, rollup.Source{Settled: true, Unsettled: true, Remade: true}
	longest := orders["longest_gap"]
	querytest.Statements(t, statements,
		querytest.NewStatement("calls_report", "calls_report", shape{Shape: calls(grouping.Whole)}),
		querytest.NewStatement("calls_report_narrowed", "calls_report", shape{
			Shape: narrowed, Models: true, Providers: true, Agents: true, Outcomes: true,
		}),
		querytest.NewStatement("calls_report_settled", "calls_report", shape{Shape: settled}),
		querytest.NewStatement("calls_bins", "calls_bins", shape{Shape: calls(grouping.Whole)}),
		querytest.NewStatement("calls_list", "calls_list", shape{Shape: calls(grouping.Whole), Order: longest.by, Having: longest.having}),
	)
}

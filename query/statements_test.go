package query

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/statements anew")

// What the templates come to, to be read. A change of a template shows there as
// a change of statements.
func TestStatements(t *testing.T) {
	report := reportShape{
		Table: "usage", ID: "usage_id", Period: Daily.expression("at_ns"),
		Groups: []string{usageColumns["model"], usageColumns["node"]}, From: true, To: true, ByNode: true, Tags: []string{"customer"},
		Crossing: true, Repeated: true, Running: true, Careful: true,
	}
	plain := reportShape{Table: "usage", ID: "usage_id", Period: Whole.expression("at_ns"), Groups: []string{usageColumns["model"]}}
	tools := reportShape{
		Table: "spans", ID: "span_id", Kind: "tool", Period: Monthly.expression("seen_ns"), Groups: []string{toolColumns["tool"]},
		From: true, Crossing: true, Careful: true,
	}
	for _, tc := range []struct {
		file, name string
		shape      any
	}{
		{"session_ids", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Time: timeSorts["started"], Descending: true, Begin: true, Edge: true, Floor: true,
		}},
		{"session_ids_few", "session_ids", sessionIDsShape{SortKey: sortKeys["last_at"], Time: timeSorts["last_at"], Edge: true, Few: true}},
		{"session_ids_filtered", "session_ids", sessionIDsShape{
			SortKey: sortKeys["started"], Descending: true, Agents: true, Tools: true, Models: true, Text: true, From: true, To: true,
			After: true, OrCut: true, RunStatuses: true, Tags: []TagFilter{{Key: "k", Value: "v"}, {Key: "k", AnyValue: true}},
		}},
		{"session_ids_by_tokens", "session_ids", sessionIDsShape{
			SortKey: sortKeys["tokens"], Descending: true, Tokens: true, MinTokens: true, MaxTokens: true, MinDuration: true, MaxDuration: true,
			Dialects: true, From: true, After: true,
		}},
		{"session_ids_by_duration", "session_ids", sessionIDsShape{SortKey: sortKeys["duration"], Descending: true, Apart: true, After: true}},
		{"open_sessions", "open_sessions", nil},
		{"open_runs", "open_runs", nil},
		{"several_rows", "several_rows", nil},
		{"session_bounds", "session_bounds", sessionIDsShape{Descending: true, Agents: true, From: true, After: true}},
		{"facets", "facets", facetsShape{Facts: facetRange{Column: "seen_at", From: true}, Streams: facetRange{Column: "first_at", From: true, To: true}}},
		{"latest_streams", "latest_streams", StreamsQuery{Active: true}},
		{"latest_streams_of_session", "latest_streams", StreamsQuery{Session: "s", Stream: "s"}},
		{"session_window", "session_window", sessionIDsShape{Time: timeSorts["last_at"], Descending: true, Begin: true, Few: true}},
		{"session_streams", "session_streams", sessionStreamsShape{Since: true}},
		{"session_streams_with_ends", "session_streams", sessionStreamsShape{Ends: true}},
		{"session_spans", "session_spans", nil},
		{"session_ends", "session_ends", nil},
		{"session_usage", "session_usage", nil},
		{"spans", "spans", nil},
		{"gaps", "gaps", nil},
		{"messages", "messages", struct{ Chunks bool }{true}},
		{"frames_ahead", "frames_ahead", framesShape{After: true, Reach: true}},
		{"frames_index", "frames_index", framesShape{Types: true}},
		{"frames_index_with_care", "frames_index", framesShape{Careful: true}},
		{"frame_rows", "frame_rows", nil},
		{"frame_types", "frame_types", carefulShape{Careful: true}},
		{"frames", "frames", framesShape{Types: true, Nodes: true, Agents: true, Directions: true, After: true}},
		{"density_with_care", "density", carefulShape{Careful: true}},
		{"crossing", "crossing", report},
		{"repeated_ids", "repeated_ids", tools},
		{"usage_report", "usage_report", plain},
		{"usage_report_with_care", "usage_report", report},
		{"tools_report_all_with_care", "tools_report", reportShape{
			Table: "spans", ID: "span_id", Kind: "tool", Period: Whole.expression("seen_ns"), Careful: true, All: true,
		}},
		{"tools_report_with_care", "tools_report", tools},
		{"tools_slowest", "tools_slowest", reportShape{Table: "spans", ID: "span_id", Kind: "tool"}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			got, err := statements.Text(tc.name, tc.shape)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "statements", tc.file+".sql")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (run with -update if it is meant):\n%s", path, d)
			}
		})
	}
}

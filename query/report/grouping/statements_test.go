package grouping

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	report := Shape{
		Table: "usage", ID: "usage_id", Period: Daily.Expression("at_ns"),
		Groups: []string{"records.model", "records.node_id"}, From: true, To: true, ByNode: true, Tags: []string{"customer"},
		Crossing: true, Repeated: true, Running: true, Careful: true,
	}
	tools := Shape{
		Table: "spans", ID: "span_id", Kind: "tool", Period: Monthly.Expression("seen_ns"), Groups: []string{"span_name"},
		From: true, Crossing: true, Careful: true,
	}
	querytest.Statements(t, statements,
		querytest.NewStatement("crossing", "crossing", report),
		querytest.NewStatement("repeated_ids", "repeated_ids", tools),
		querytest.NewStatement("several_values", "several_values", report),
	)
}

package grouping

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	tools := Shape{
		Table: "spans", ID: "span_id", Kind: "tool", Period: Monthly.Expression("seen_ns"), Groups: []string{"span_name"},
		From: true, To: true, Crossing: true, Careful: true,
	}
	querytest.Statements(t, statements,
		querytest.NewStatement("crossing", "crossing", tools),
		querytest.NewStatement("repeated_ids", "repeated_ids", tools),
	)
}

package focus

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("focus_rows", "focus_rows", rowsShape{}),
		querytest.NewStatement("focus_rows_unpriced_by_tags", "focus_rows", rowsShape{Unpriced: true, Tags: []string{"team", "customer"}}),
	)
}

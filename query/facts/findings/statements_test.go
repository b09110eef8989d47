package findings

import (
	"testing"

	"tapedeck/query"
	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("session_bounds", "session_bounds", nil),
		querytest.NewStatement("session_usage", "session_usage", nil),
		querytest.NewStatement("session_calls", "session_calls", nil),
		querytest.NewStatement("session_arrivals", "session_arrivals", nil),
		querytest.NewStatement("session_losses", "session_losses", nil),
		querytest.NewStatement("session_marks", "session_marks", nil),
		querytest.NewStatement("stated_totals", "stated_totals", nil),
		querytest.NewStatement("stated_costs", "stated_costs", cellShape{[]string{"customer"}, query.TagValues(1)}),
	)
}

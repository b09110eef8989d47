package spanmerge

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("spans", "spans", struct{ Limit, Original bool }{}),
		querytest.NewStatement("spans_original", "spans", struct{ Limit, Original bool }{Original: true}),
		querytest.NewStatement("first_spans", "spans", struct{ Limit, Original bool }{Limit: true}),
		querytest.NewStatement("spans_by_id", "spans_by_id", nil),
	)
}

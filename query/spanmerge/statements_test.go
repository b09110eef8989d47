package spanmerge

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("spans", "spans", struct{ Limit, Undeleted bool }{}),
		querytest.NewStatement("spans_undeleted", "spans", struct{ Limit, Undeleted bool }{Undeleted: true}),
		querytest.NewStatement("first_spans", "spans", struct{ Limit, Undeleted bool }{Limit: true}),
	)
}

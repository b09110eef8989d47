package spanmerge

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("spans", "spans", struct{ Limit bool }{}),
		querytest.NewStatement("first_spans", "spans", struct{ Limit bool }{true}),
	)
}

package facets

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("facets", "facets", facetsShape{Facts: facetRange{Column: "seen_at", From: true}, Streams: facetRange{Column: "first_at", From: true, To: true}}),
	)
}

package openspans

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("open_spans", "open_spans", nil),
		querytest.NewStatement("open_arguments", "open_arguments", nil),
	)
}

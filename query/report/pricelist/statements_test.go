package pricelist

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements, querytest.NewStatement("models_used", "models_used", nil))
}

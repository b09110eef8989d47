package spent

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("spending_tenants", "spending_tenants", nil),
		querytest.NewStatement("last_stream", "last_stream", nil),
	)
}

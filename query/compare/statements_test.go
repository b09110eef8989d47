package compare

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("messages", "messages", struct{ Until, Original bool }{Until: true}),
		querytest.NewStatement("requests", "requests", nil),
	)
}

package sessionhead

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("open_sessions", "open_sessions", nil),
		querytest.NewStatement("open_runs", "open_runs", nil),
	)
}

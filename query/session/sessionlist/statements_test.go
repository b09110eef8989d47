package sessionlist

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements, querytest.NewStatement("session_ends", "session_ends", nil))
}

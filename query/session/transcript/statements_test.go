package transcript

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("messages", "messages", struct{ Chunks, Original bool }{Chunks: true}),
	)
}

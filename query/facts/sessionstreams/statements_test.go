package sessionstreams

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("session_streams", "session_streams", Shape{Since: true}),
		querytest.NewStatement("session_streams_with_ends", "session_streams", Shape{Ends: true}),
		querytest.NewStatement("original_session_streams", "session_streams", Shape{Ends: true, Original: true}),
		querytest.NewStatement("streams_of_session", "streams_of_session", Shape{}),
		querytest.NewStatement("original_streams_of_session", "streams_of_session", Shape{Original: true}),
	)
}

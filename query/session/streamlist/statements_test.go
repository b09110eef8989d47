package streamlist

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("latest_streams", "latest_streams", Query{Active: true}),
		querytest.NewStatement("latest_streams_of_session", "latest_streams", Query{Session: "s", Stream: "s"}),
		querytest.NewStatement("latest_streams_of_digests", "latest_streams", Query{Digests: []string{"d"}}),
	)
}

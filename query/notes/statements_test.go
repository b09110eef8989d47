package notes

import (
	"testing"

	"tapedeck/query/querytest"
)

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("notes", "notes", shape{Text: true, Labels: true, Thumb: true, Author: true, From: true, To: true, After: true}),
		querytest.NewStatement("notes_of_session", "notes", shape{Session: true, ID: true}),
		querytest.NewStatement("session_notes_count", "session_notes_count", nil),
		querytest.NewStatement("note_ids", "note_ids", nil),
		querytest.NewStatement("span_exists", "span_exists", nil),
	)
}

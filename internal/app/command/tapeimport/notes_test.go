package tapeimport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/notes"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// notedTape returns a tape of a session with n notes of a text.
func notedTape(t *testing.T, n int, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := tapefile.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]tapefile.Note, n)
	for i := range list {
		list[i] = tapefile.Note{ID: fmt.Sprint(i), Text: text, Author: "grace"}
	}
	state := schema.StreamState{StreamID: "019b7d3c-0000-7000-8000-000000000001", Transport: schema.NDJSON, Version: 1, Ended: 2}
	if err := errors.Join(w.Begin("s", []schema.StreamState{state}), w.Notes(list), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The notes of a tape are sent in batches; those beyond the bound of a session are counted and not kept.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		notes, sent, refused int
		text                 string
	}{
		{0, 0, 0, ""}, {3, 3, 0, "x"}, {1000, 1000, 0, "x"}, {100_000, 1000, 99_000, "x"}, {1000, 1000, 0, strings.Repeat("x", notes.MostText)},
	} {
		im := New("tenant", "", nil)
		if err := im.Import(t.Context(), bytes.NewReader(notedTape(t, c.notes, c.text))); err != nil {
			t.Fatal(err)
		}
		sent := 0
		err := im.RestoreNotes(t.Context(), func(_ context.Context, session string, body []byte) (*notes.ImportResult, error) {
			var got struct{ Notes []notes.Imported }
			if err := json.Unmarshal(body, &got); err != nil || len(got.Notes) == 0 || len(got.Notes) > notes.MostImported || len(body) > 3<<20 || session != "s" {
				t.Errorf("a request of %d notes, %d bytes for %q: %v", len(got.Notes), len(body), session, err)
			}
			for _, n := range got.Notes {
				if n.ID != fmt.Sprint(sent) || n.Author != "grace" {
					t.Fatalf("note %d is %+v", sent, n)
				}
				sent++
			}
			return &notes.ImportResult{Restored: len(got.Notes)}, nil
		})
		s := im.Sessions[0]
		if err != nil || sent != c.sent || s.Notes != c.notes {
			t.Errorf("%d notes: %d sent, %v", c.notes, sent, err)
		}
		if c.notes > 0 && (s.Restored.Restored != c.sent || s.Restored.Refused != c.refused) {
			t.Errorf("%d notes: %+v", c.notes, s.Restored)
		}
	}
}

// Notes that the server refuses as a whole are counted with the reason.
func TestNotesFail(t *testing.T) {
	im := New("tenant", "", nil)
	if err := im.Import(t.Context(), bytes.NewReader(notedTape(t, 150, "x"))); err != nil {
		t.Fatal(err)
	}
	calls := 0
	err := im.RestoreNotes(t.Context(), func(context.Context, string, []byte) (*notes.ImportResult, error) {
		calls++
		return nil, errors.New("no scope")
	})
	if r := im.Sessions[0].Restored; err == nil || calls != 1 || r.Refused != 150 || len(r.Reasons) != 1 || r.Reasons[0] != "no scope" {
		t.Errorf("%+v, %v, %d calls", r, err, calls)
	}
}

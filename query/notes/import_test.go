package notes_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"tapedeck/query"
	"tapedeck/query/notes"
	"tapedeck/query/querytest"
)

// imported returns a note of a tape that is valid in the session s0 at second 100.
func imported(n int) notes.Imported {
	return notes.Imported{ID: fmt.Sprintf("0195b1f0-0000-7000-8000-%012d", n), Author: "grace", Written: querytest.When(20), Changed: querytest.When(20),
		Content: notes.Content{Text: fmt.Sprint("n", n)}}
}

// Imported notes keep their times and name the importer beside their author; a repetition changes nothing, and a
// note that was deleted does not come back.
func TestImport(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := querytest.Reader(db, 100)
	at := querytest.When(1.5)
	n := imported(1)
	n.Span, n.At, n.Changed, n.Labels, n.Author = "t", &at, querytest.When(30), []string{"b", "a"}, "grace (imported by hopper)"
	once := func(want notes.ImportResult, list ...notes.Imported) {
		t.Helper()
		got := querytest.Must[*notes.ImportResult](t)(notes.Import(t.Context(), r, db.Tenant, "s0", "ops", list))
		if got.Restored != want.Restored || got.Existing != want.Existing || got.Refused != want.Refused {
			t.Fatalf("the import is %+v, expected %+v", got, want)
		}
	}
	once(notes.ImportResult{Restored: 1, Existing: 1}, n, n)
	list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0"))
	if len(list) != 1 || list[0].Author != "grace (imported by ops)" || !list[0].Written.Equal(querytest.When(20)) || !list[0].Changed.Equal(querytest.When(30)) ||
		query.Text(list[0].Span) != "t" || !list[0].At.Equal(at) || strings.Join(list[0].Labels, " ") != "a b" || list[0].ID != n.ID {
		t.Fatalf("the notes are %+v", list)
	}
	other := n
	other.Text, other.Author = "forged", "eve"
	once(notes.ImportResult{Existing: 1}, other)
	if err := notes.Delete(t.Context(), r, db.Tenant, "s0", n.ID); err != nil {
		t.Fatal(err)
	}
	once(notes.ImportResult{Existing: 1}, n)
	if list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")); len(list) != 0 {
		t.Errorf("a deleted note came back: %+v", list)
	}
}

// Bad notes are refused one by one; good ones beside them are written.
func TestImportRefused(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := querytest.Reader(db, 100)
	for name, c := range map[string]struct {
		change func(*notes.Imported)
		want   string
	}{
		"id":             {func(n *notes.Imported) { n.ID = "../1" }, "not the id"},
		"long author":    {func(n *notes.Imported) { n.Author = strings.Repeat("x", 257) }, "author"},
		"control author": {func(n *notes.Imported) { n.Author = "a\x1b[31m" }, "author"},
		"no time":        {func(n *notes.Imported) { n.Written = time.Time{} }, "not a past time"},
		"future":         {func(n *notes.Imported) { n.Written = querytest.When(100 + 2*3600) }, "not a past time"},
		"changed before": {func(n *notes.Imported) { n.Changed = querytest.When(19) }, "changed"},
		"far future":     {func(n *notes.Imported) { n.Changed = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }, "changed"},
		"moment":         {func(n *notes.Imported) { at := querytest.When(11); n.At = &at }, "not in the session"},
		"span":           {func(n *notes.Imported) { n.Span = "nope" }, "no span"},
		"nothing":        {func(n *notes.Imported) { n.Text = "" }, "says nothing"},
		"long text":      {func(n *notes.Imported) { n.Text = strings.Repeat("x", notes.MostText+1) }, "16385 bytes"},
	} {
		bad, good := imported(1), imported(2)
		c.change(&bad)
		good.ID = uuid.NewString()
		got, err := notes.Import(t.Context(), r, db.Tenant, "s0", "ops", []notes.Imported{bad, good})
		if err != nil || got.Refused != 1 || got.Restored != 1 || len(got.Reasons) != 1 || !strings.Contains(got.Reasons[0], c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := notes.Import(t.Context(), r, db.Tenant, "nope", "ops", []notes.Imported{imported(1)}); statusOf(err) != 404 {
		t.Errorf("an unknown session: %v", err)
	}
}

// The bound of a session holds for imports, and for requests at the same time.
func TestMostNotesAtOnce(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := query.NewReader(db.Conn)
	db.Exec(fmt.Sprintf(`INSERT INTO notes (tenant, session_id, stream_id, note_id, version, text)
		SELECT '%s', 's0', '%s', toString(number), 1, 'x' FROM numbers(%d)`, db.Tenant, querytest.StreamID(1), notes.MostSession-1))
	now := time.Now()
	var list []notes.Imported
	for i := range 3 {
		n := imported(i)
		n.Written, n.Changed = now, now
		list = append(list, n)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := notes.Add(t.Context(), r, db.Tenant, notes.Note{Session: "s0", Content: notes.Content{Text: "x"}})
			if err != nil && statusOf(err) != 409 {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		got, err := notes.Import(t.Context(), r, db.Tenant, "s0", "ops", list)
		if err != nil || got.Refused < 2 {
			t.Errorf("the import of too many notes is %+v, %v", got, err)
		}
	})
	all.Wait()
	if list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")); len(list) > notes.MostSession {
		t.Errorf("the session has %d notes", len(list))
	}
}

package notes_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/notes"
	"tapedeck/query/querytest"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// recordings are three sessions of ten seconds; s0 has a span t.
func recordings() []querytest.Recording {
	var list []querytest.Recording
	for i := range 3 {
		list = append(list, querytest.Recording{
			Session: fmt.Sprint("s", i), Stream: i + 1,
			State: schema.StreamState{FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(10)},
		})
	}
	list[0].Spans = []schema.Span{querytest.Tool("t", "bash", schema.StatusOK, 1, 2)}
	return list
}

func add(t *testing.T, r *query.Reader, tenant, session string, c notes.Content) *notes.Note {
	t.Helper()
	return querytest.Must[*notes.Note](t)(notes.Add(t.Context(), r, tenant, notes.Note{Session: session, Content: c, Author: "ops"}))
}

func texts(list []notes.Note) string {
	var all []string
	for i := range list {
		all = append(all, list[i].Text)
	}
	return strings.Join(all, " ")
}

// A note is read as it was written, changed and deleted; its text is trimmed and its labels are sorted.
func TestNotes(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	now := querytest.When(100)
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time { now = now.Add(time.Second); return now }))
	at := querytest.When(1.5)
	n := querytest.Must[*notes.Note](t)(notes.Add(t.Context(), r, db.Tenant, notes.Note{
		Session: "s0", Span: query.Named("t"), At: &at, Author: "ops",
		Content: notes.Content{Text: " wrong file\n", Labels: []string{"triage", "bug", "bug"}, Thumb: notes.Down},
	}))
	add(t, r, db.Tenant, "s0", notes.Content{Text: "whole"})
	list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0"))
	if texts(list) != "whole wrong file" { // a note of no moment comes first
		t.Fatalf("the notes are %+v", list)
	}
	got := list[1]
	if got.ID != n.ID || query.Text(got.Span) != "t" || !got.At.Equal(at) || !slices.Equal(got.Labels, []string{"bug", "triage"}) ||
		got.Thumb != notes.Down || got.Author != "ops" || !got.Written.Equal(got.Changed) || !got.Written.Equal(n.Written) {
		t.Errorf("the note is %+v, written as %+v", got, n)
	}
	changed := querytest.Must[*notes.Note](t)(notes.Change(t.Context(), r, db.Tenant, "s0", n.ID, notes.Content{Text: "right file", Thumb: notes.Up}))
	list = querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0"))
	if got := list[1]; got.Text != "right file" || len(got.Labels) != 0 || got.Thumb != notes.Up || query.Text(got.Span) != "t" ||
		!got.Written.Equal(n.Written) || !got.Changed.Equal(changed.Changed) || !got.Changed.After(got.Written) {
		t.Errorf("the changed note is %+v", got)
	}
	if err := notes.Delete(t.Context(), r, db.Tenant, "s0", n.ID); err != nil {
		t.Fatal(err)
	}
	if list = querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")); texts(list) != "whole" {
		t.Errorf("after the deletion the notes are %+v", list)
	}
	if err := notes.Delete(t.Context(), r, db.Tenant, "s0", n.ID); statusOf(err) != 404 {
		t.Errorf("the note was deleted twice: %v", err)
	}
	if list, err := notes.OfSession(t.Context(), r, "another", "s0"); err != nil || len(list) > 0 {
		t.Errorf("another tenant reads %+v, %v", list, err)
	}
	if _, err := notes.Change(t.Context(), r, db.Tenant, "s1", list[0].ID, notes.Content{Text: "x"}); statusOf(err) != 404 {
		t.Errorf("a note was changed as one of another session: %v", err)
	}
}

// A change that is written after the deletion of a note, since both requests read the note before, does not
// bring it back.
func TestChangeDuringDeletion(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := querytest.Reader(db, 100)
	n := add(t, r, db.Tenant, "s0", notes.Content{Text: "gone"})
	if err := notes.Delete(t.Context(), r, db.Tenant, "s0", n.ID); err != nil {
		t.Fatal(err)
	}
	db.Exec(fmt.Sprintf(`INSERT INTO notes (tenant, session_id, stream_id, note_id, version, text)
		VALUES ('%s', 's0', '%s', '%s', %d, 'gone')`, db.Tenant, querytest.StreamID(1), n.ID, querytest.When(101).UnixNano()))
	if list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")); len(list) > 0 {
		t.Errorf("the notes are %+v", list)
	}
}

func statusOf(err error) int {
	if p, known := problem.From(err); known {
		return p.Status
	}
	return 0
}

// Notes that say nothing, too much, or something of what is not in the session are refused.
func TestRefused(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := querytest.Reader(db, 100)
	before, after := querytest.When(-1), querytest.When(11)
	wrapped := querytest.When(1).Add(math.MaxInt64).Add(math.MaxInt64).Add(2) // has the nanoseconds of a moment in the session, modulo 2^64
	for name, c := range map[string]struct {
		n    notes.Note
		want string
	}{
		"nothing":          {notes.Note{Session: "s0", Content: notes.Content{Text: " \n"}}, "says nothing"},
		"long text":        {notes.Note{Session: "s0", Content: notes.Content{Text: strings.Repeat("x", notes.MostText+1)}}, "16385 bytes"},
		"no UTF-8":         {notes.Note{Session: "s0", Content: notes.Content{Text: "a\xff"}}, "UTF-8"},
		"many labels":      {notes.Note{Session: "s0", Content: notes.Content{Labels: strings.Fields(manyWords(notes.MostLabels + 1))}}, "a note has 16"},
		"empty label":      {notes.Note{Session: "s0", Content: notes.Content{Labels: []string{" "}}}, "label"},
		"comma in a label": {notes.Note{Session: "s0", Content: notes.Content{Labels: []string{"a,b"}}}, "no comma"},
		"escape sequence":  {notes.Note{Session: "s0", Content: notes.Content{Labels: []string{"\x1b[31mred"}}}, "control character"},
		"line separator":   {notes.Note{Session: "s0", Content: notes.Content{Labels: []string{"a\u2028b"}}}, "line break"},
		"unknown thumb":    {notes.Note{Session: "s0", Content: notes.Content{Thumb: "sideways"}}, "no thumb"},
		"unknown session":  {notes.Note{Session: "nope", Content: notes.Content{Text: "x"}}, "no session"},
		"unknown span":     {notes.Note{Session: "s0", Span: query.Named("u"), Content: notes.Content{Text: "x"}}, `no span "u"`},
		"span of another":  {notes.Note{Session: "s1", Span: query.Named("t"), Content: notes.Content{Text: "x"}}, `no span "t"`},
		"before its start": {notes.Note{Session: "s0", At: &before, Content: notes.Content{Text: "x"}}, "not in the session"},
		"after its end":    {notes.Note{Session: "s0", At: &after, Content: notes.Content{Text: "x"}}, "not in the session"},
		"centuries later":  {notes.Note{Session: "s0", At: &wrapped, Content: notes.Content{Text: "x"}}, "not in the session"},
	} {
		_, err := notes.Add(t.Context(), r, db.Tenant, c.n)
		if err == nil || !strings.Contains(err.Error(), c.want) || statusOf(err) < 400 || statusOf(err) > 499 {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if list, err := notes.List(t.Context(), r, notes.Query{Tenant: db.Tenant, Limit: 10}); err != nil || len(list.Items) > 0 {
		t.Errorf("there are notes: %+v, %v", list, err)
	}
}

func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "l%d ", i)
	}
	return b.String()
}

// A session has a bounded number of notes.
func TestMostNotes(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := query.NewReader(db.Conn)
	db.Exec(fmt.Sprintf(`INSERT INTO notes (tenant, session_id, stream_id, note_id, version, text)
		SELECT '%s', 's0', '%s', toString(number), 1, 'x' FROM numbers(%d)`, db.Tenant, querytest.StreamID(1), notes.MostSession-1))
	add(t, r, db.Tenant, "s0", notes.Content{Text: "the last"})
	if _, err := notes.Add(t.Context(), r, db.Tenant, notes.Note{Session: "s0", Content: notes.Content{Text: "x"}}); statusOf(err) != 409 {
		t.Errorf("one note too many: %v", err)
	}
	add(t, r, db.Tenant, "s1", notes.Content{Text: "of another session"})

	// Requests at one time can exceed the bound: the list has all notes.
	db.Exec(fmt.Sprintf(`INSERT INTO notes (tenant, session_id, stream_id, note_id, version, text)
		SELECT '%s', 's0', '%s', concat('more', toString(number)), 1, 'x' FROM numbers(5)`, db.Tenant, querytest.StreamID(1)))
	if list := querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")); len(list) != notes.MostSession+5 {
		t.Errorf("%d notes are listed, want %d", len(list), notes.MostSession+5)
	}
}

// Notes of all sessions are filtered, and paged without gaps or repetitions.
func TestList(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	now := querytest.When(100)
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time { return now }))
	for i, c := range []struct {
		session string
		notes.Content
	}{
		{"s0", notes.Content{Text: "a", Labels: []string{"bug"}}},
		{"s1", notes.Content{Text: "B", Thumb: notes.Up}},
		{"s1", notes.Content{Text: "c", Labels: []string{"bug", "late"}, Thumb: notes.Down}},
		{"s2", notes.Content{Text: "Über"}},
	} {
		now = querytest.When(100 + float64(i/2)) // two notes of one moment each
		add(t, r, db.Tenant, c.session, c.Content)
	}
	for name, c := range map[string]struct {
		q    notes.Query
		want string
	}{
		"all":         {notes.Query{}, "B a c Über"},
		"a session":   {notes.Query{Session: "s1"}, "B c"},
		"text":        {notes.Query{Text: "üb"}, "Über"},
		"a label":     {notes.Query{Labels: []string{"bug"}}, "a c"},
		"some labels": {notes.Query{Labels: []string{"none", "late"}}, "c"},
		"a thumb":     {notes.Query{Thumb: notes.Up}, "B"},
		"an author":   {notes.Query{Author: "nobody"}, ""},
		"from":        {notes.Query{From: querytest.When(101)}, "c Über"},
		"to":          {notes.Query{To: querytest.When(101)}, "B a"},
	} {
		c.q.Tenant, c.q.Limit = db.Tenant, 1
		var all []string
		for range 10 {
			page := querytest.Must[*query.Page[notes.Note]](t)(notes.List(t.Context(), r, c.q))
			if len(page.Items) > 0 {
				all = append(all, page.Items[0].Text)
			}
			if page.Next == nil {
				break
			}
			c.q.After = querytest.Must[*query.Mark](t)(query.ParseMark("notes", *page.Next))
		}
		slices.Sort(all)
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Sessions are selected by the labels and thumbs of their notes. A deleted note selects none.
func TestSessionsByNotes(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := query.NewReader(db.Conn)
	add(t, r, db.Tenant, "s0", notes.Content{Labels: []string{"bug"}})
	add(t, r, db.Tenant, "s1", notes.Content{Labels: []string{"late"}, Thumb: notes.Down})
	add(t, r, db.Tenant, "s2", notes.Content{Thumb: notes.Up})
	gone := add(t, r, db.Tenant, "s2", notes.Content{Labels: []string{"bug"}})
	if err := notes.Delete(t.Context(), r, db.Tenant, "s2", gone.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    sessionfilter.Filter
		want string
	}{
		{sessionfilter.Filter{Labels: []string{"bug"}}, "s0"},
		{sessionfilter.Filter{Labels: []string{"bug", "late"}}, "s0 s1"},
		{sessionfilter.Filter{Thumbs: []notes.Thumb{notes.Up}}, "s2"},
		{sessionfilter.Filter{Thumbs: notes.Thumbs}, "s1 s2"},
		{sessionfilter.Filter{Labels: []string{"late"}, Thumbs: []notes.Thumb{notes.Up}}, ""},
		{sessionfilter.Filter{Labels: []string{"none"}}, ""},
	} {
		ids := querytest.Must[[]string](t)(sessionfilter.Matching(t.Context(), r, db.Tenant, &c.f))
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%v %v: sessions %q, want %q", c.f.Labels, c.f.Thumbs, got, c.want)
		}
	}
}

// Notes of a deleted session are hidden by its tombstone, and removed with its other rows.
func TestDeletedSession(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := query.NewReader(db.Conn)
	add(t, r, db.Tenant, "s0", notes.Content{Text: "secret"})
	add(t, r, db.Tenant, "s1", notes.Content{Text: "kept"})
	store := tombstone.NewStore(db.Conn)
	mark := querytest.Must[*tombstone.Tombstone](t)(store.Put(t.Context(), tombstone.Key{Tenant: db.Tenant, Session: "s0"}))
	page := querytest.Must[*query.Page[notes.Note]](t)(notes.List(t.Context(), r, notes.Query{Tenant: db.Tenant, Limit: 10}))
	if texts(page.Items) != "kept" {
		t.Errorf("after the tombstone the notes are %+v", page.Items)
	}
	db.Merge() // deletions wait for merges
	if err := store.Remove(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	var n uint64
	if err := db.Conn.QueryRow(t.Context(), "SELECT count() FROM notes WHERE tenant = '"+db.Tenant+"' AND session_id = 's0'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows of notes are left, %v", n, err)
	}
}

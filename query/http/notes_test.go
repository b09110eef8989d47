package queryhttp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/notes"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// A note is written at an offset, listed with its session and among all, changed and deleted.
func TestNotes(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{
		Session: "s", Stream: 1, State: schema.StreamState{FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(10)},
	})
	reader := querytest.Reader(db, 100)
	a := mount(t, db.Tenant, queryhttp.New(reader, nil).WithNotes(func(*http.Request) string { return "grace" }))
	write := func(method, path, body string, want int) notes.Note {
		t.Helper()
		status, _, answer := a.send(method, path, body, "Content-Type", "application/json")
		var n notes.Note
		if err := json.Unmarshal(answer, &n); err != nil || status != want {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
		return n
	}
	n := write("POST", "/v1/sessions/s/notes", `{"text":"wrong","labels":["bug"],"thumb":"down","offset_ms":1500.25}`, 201)
	if n.Author != "grace" || n.At == nil || n.At.UnixNano() != querytest.AtSecond(1.50025) || n.Session != "s" || n.ID == "" {
		t.Errorf("the note is %+v", n)
	}
	page := get[query.Page[notes.Note]](a, "/v1/sessions/s/notes")
	if len(page.Items) != 1 || page.Items[0].Text != "wrong" || page.Items[0].Thumb != notes.Down {
		t.Errorf("the notes of the session are %+v", page.Items)
	}
	for filter, want := range map[string]int{"": 1, "?label=bug": 1, "?label=other": 0, "?thumb=up": 0, "?q=WRO": 1, "?author=grace&session=s": 1, "?to=1970-01-02": 0} {
		if got := get[query.Page[notes.Note]](a, "/v1/notes"+filter); len(got.Items) != want {
			t.Errorf("%s: %+v", filter, got.Items)
		}
	}
	for filter, want := range map[string]int{"label=bug": 1, "label=other": 0, "thumb=down&thumb=up": 1, "thumb=up": 0} {
		if got := get[query.Page[sessionhead.Summary]](a, "/v1/sessions?"+filter); len(got.Items) != want {
			t.Errorf("sessions with %s: %+v", filter, got.Items)
		}
	}
	if n = write("PUT", "/v1/sessions/s/notes/"+n.ID, `{"text":"right"}`, 200); n.Text != "right" || n.Thumb != "" || n.At == nil {
		t.Errorf("the changed note is %+v", n)
	}
	if status, _, body := a.ask("DELETE", "/v1/sessions/s/notes/"+n.ID); status != 204 {
		t.Errorf("DELETE: %d %s", status, body)
	}
	if page := get[query.Page[notes.Note]](a, "/v1/sessions/s/notes"); len(page.Items) != 0 || page.Next != nil {
		t.Errorf("after the deletion the notes are %+v", page.Items)
	}
}

// Requests that cannot be taken are refused with the reason.
func TestRefusedNotes(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{
		Session: "s", Stream: 1, State: schema.StreamState{FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(10)},
	})
	a := mount(t, db.Tenant, queryhttp.New(querytest.Reader(db, 100), nil).WithNotes(func(*http.Request) string { return "grace" }))
	for _, c := range []struct {
		method, path, media, body string
		status                    int
		want                      string
	}{
		{"GET", "/v1/sessions/nope/notes", "", "", 404, "no session"},
		{"GET", "/v1/notes?thumb=sideways", "", "", 400, "thumb"},
		{"GET", "/v1/notes?cursor=x", "", "", 400, "cursor"},
		{"POST", "/v1/sessions/nope/notes", "application/json", `{"text":"x"}`, 404, "no session"},
		{"POST", "/v1/sessions/nope/notes", "application/json", `{"text":"x","offset_ms":1}`, 404, "no session"},
		{"POST", "/v1/sessions/s/notes", "text/plain", `{"text":"x"}`, 415, "application/json"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"txt":"x"}`, 400, "txt"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{`, 400, "could not be read"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{}`, 400, "says nothing"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"text":"x","offset_ms":-1}`, 400, "offset_ms"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"text":"x","offset_ms":1e300}`, 400, "offset_ms"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"text":"x","offset_ms":10001}`, 400, "not in the session"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"text":"x","offset_ms":1,"at":"2026-01-01T00:00:00Z"}`, 400, "both"},
		{"POST", "/v1/sessions/s/notes", "application/json", `{"text":"` + strings.Repeat("x", 200<<10) + `"}`, 400, "too large"},
		{"PUT", "/v1/sessions/s/notes/nope", "application/json", `{"text":"x"}`, 404, "no note"},
		{"PUT", "/v1/sessions/s/notes/nope", "application/json", `{"text":"x","span_id":"t"}`, 400, "cannot be changed"},
		{"DELETE", "/v1/sessions/s/notes/nope", "", "", 404, "no note"},
	} {
		status, _, body := a.send(c.method, c.path, c.body, "Content-Type", c.media)
		var p problem.Problem
		if err := json.Unmarshal(body, &p); err != nil || status != c.status || !strings.Contains(p.Detail, c.want) && p.Parameter != c.want {
			t.Errorf("%s %s %.60s: %d %s, expected %d and %q", c.method, c.path, c.body, status, body, c.status, c.want)
		}
	}
}

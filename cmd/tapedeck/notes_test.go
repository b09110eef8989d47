package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/internal/commandline"
)

// A limit holds for the notes of a session, too.
func TestNotesLimit(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI()
		w.Header().Set("Tapedeck-Api", "1")
		if _, err := w.Write([]byte(`{"items":[],"next":null}`)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	for line, want := range map[string]string{
		"notes s":           "/v1/sessions/s/notes",
		"notes s --limit 1": "/v1/notes?limit=1&session=s",
		"notes --limit 2":   "/v1/notes?limit=2",
	} {
		i, err := newInvocation(t.Context(), strings.Fields(line+" --server "+server.URL))
		if err == nil {
			err = i.context.Run()
		}
		if err != nil || asked != want {
			t.Errorf("%s: %s, %v, want %s", line, asked, err, want)
		}
	}
}

// An id that is not one of a note names no other route: "notes/.." would be the session.
func TestNoteIDs(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.Method+" "+r.URL.EscapedPath())
		w.Header().Set("Tapedeck-Api", "1")
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	g := &global{Server: server.URL}
	for _, c := range []struct{ session, note string }{
		{"s", ".."}, {"s", "."}, {"s", ""}, {"s", "../../other"}, {"s", "a/b"}, {"..", "01a22239-5e81-73ce-8ab6-b2fa085b7cf2"},
	} {
		err := (&notesDelete{Session: c.session, Note: c.note}).Run(t.Context(), g)
		if _, refused := errors.AsType[commandline.Error](err); !refused {
			t.Errorf("notes delete %q %q: %v", c.session, c.note, err)
		}
	}
	if len(requests) > 0 {
		t.Errorf("requests were sent: %q", requests)
	}
	if err := (&notesDelete{Session: "a/..", Note: "01a22239-5e81-73ce-8ab6-b2fa085b7cf2"}).Run(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(requests, " "); got != "DELETE /v1/sessions/a%2F../notes/01a22239-5e81-73ce-8ab6-b2fa085b7cf2" {
		t.Errorf("the request is %q", got)
	}
}

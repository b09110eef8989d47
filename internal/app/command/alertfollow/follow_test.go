package alertfollow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/backoff"
	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// follower returns a follower of a server, whose connections are answered one after another.
func follower(t *testing.T, answers ...http.HandlerFunc) (f *Follower, notes *strings.Builder) {
	t.Helper()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "1")
		n++
		answers[min(n, len(answers))-1](w, r)
	}))
	t.Cleanup(s.Close)
	c, err := apiclient.New(s.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.HTTP.CloseIdleConnections)
	notes = &strings.Builder{}
	return &Follower{Client: c, Notes: notes, Wait: backoff.Backoff{Min: time.Millisecond, Max: time.Millisecond}}, notes
}

func sends(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, text)
	}
}

func refuse(p *problem.Problem) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { problem.Write(w, p) }
}

// A follower goes on after the last event when the connection ends, waits while the server has too much to do, and ends
// when the server refuses it.
func TestFollow(t *testing.T) {
	var asked []string
	ask := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Path+" "+r.Header.Get("Accept")+" "+r.Header.Get("Authorization")+" "+r.Header.Get("Last-Event-ID"))
			h(w, r)
		}
	}
	f, notes := follower(t,
		ask(sends("retry: 1000\nevent: alert.began\ndata: {\"id\":\"a\"}\n\n: heartbeat\n\nevent: live\nid: 7\ndata: {\"alerts\":1}\n\nevent: alert.ended\nid: 8\nda")),
		ask(refuse(&problem.Problem{Status: 429, Detail: "full"})),
		ask(sends("event: alert.ended\nid: 8.1\ndata: {\"id\":\"a\"}\n\nevent: error\ndata: {\"status\":408,\"title\":\"Client too slow\"}\n\n")),
		ask(refuse(&problem.Problem{Status: 401, Detail: "the token was revoked"})))
	var got []string
	f.Alert = func(text json.RawMessage) error { got = append(got, string(text)); return nil }
	err := f.Run(t.Context())
	if err == nil || err.Error() != "the token was revoked" {
		t.Errorf("%v", err)
	}
	if want := `{"id":"a"} {"id":"a"}`; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := []string{"", "7", "7", "8.1"}
	for i := range want {
		want[i] = "/v1/alerts text/event-stream Bearer secret " + want[i]
	}
	if strings.Join(asked, "\n") != strings.Join(want, "\n") || strings.Count(notes.String(), "connecting again") != 3 {
		t.Errorf("%q\n%s", asked, notes)
	}
}

// A server that cannot be asked is an error at once, as are an older server and an error of the consumer. The end of the
// context is none.
func TestFollowEnds(t *testing.T) {
	f, _ := follower(t, refuse(&problem.Problem{Status: 503, Detail: "starting"}))
	if err := f.Run(t.Context()); err == nil || err.Error() != "starting" {
		t.Errorf("503: %v", err)
	}
	f, _ = follower(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"items":[],"next":null}`)
	})
	if err := f.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "older") {
		t.Errorf("JSON: %v", err)
	}
	broken := errors.New("broken pipe")
	f, _ = follower(t, sends("event: alert.began\ndata: {}\n\n"))
	f.Alert = func(json.RawMessage) error { return broken }
	if err := f.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("a consumer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.Alert = func(json.RawMessage) error { cancel(); return nil }
	if err := f.Run(ctx); err != nil {
		t.Errorf("the end: %v", err)
	}
}

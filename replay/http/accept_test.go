package replayhttp_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"tapedeck/replay"
	replayhttp "tapedeck/replay/http"
)

type broken struct{}

func (broken) Tape(context.Context, string, string) (replay.Tape, error) {
	return nil, errors.New("password=hunter2 refused")
}

func TestAccept(t *testing.T) {
	srv := serve(t, replayhttp.Options{Library: simple(1, 0)})
	for accept, want := range map[string]string{
		"":                     "text/event-stream",
		"*/*":                  "text/event-stream",
		"text/event-stream":    "text/event-stream",
		"application/x-ndjson": "application/x-ndjson",
		"application/ndjson":   "application/x-ndjson",
		"application/json":     "text/event-stream",
		"text/event-stream;q=0.5, application/x-ndjson": "application/x-ndjson",
		"text/event-stream, application/x-ndjson;q=0.9": "text/event-stream",
		"application/x-ndjson;q=0, */*":                 "text/event-stream",
		"nonsense; =":                                   "text/event-stream",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(srv.URL, "speed=max"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q returned %q, want %q", accept, got, want)
		}
	}
}

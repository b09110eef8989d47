package emulate

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// A session is asked for once a minute, whatever the answers are, until its context ends.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		asked := 0
		go hold(ctx, func(context.Context) error { asked++; return errors.New("the server is away") })
		time.Sleep(10*time.Minute + time.Second) // virtual time: ten questions
		end()
		time.Sleep(time.Hour) // virtual time: no further question comes
		synctest.Wait()
		if asked != 10 {
			t.Errorf("asked %d times in 10 minutes", asked)
		}
	})
}

// Closing a session of a server ends what holds it: goleak finds it otherwise.
func TestRemoteSessionCloses(t *testing.T) {
	var path string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.String()
		w.Header().Set(problem.ServerHeader, "1")
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &apiclient.Client{Base: base, HTTP: &http.Client{Transport: transport}}
	played, err := Open(t.Context(), Options{
		Protocol: "loom", Name: "s", Log: slog.New(slog.DiscardHandler), Server: func() (*apiclient.Client, error) { return client, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/v1/sessions/s/emulation?protocol=loom"; path != want {
		t.Errorf("asked for %s, want %s", path, want)
	}
	played.Close()
}

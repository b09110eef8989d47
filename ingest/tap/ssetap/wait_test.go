package ssetap_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/ssetap"
)

// play stands in for the network: it answers each request at once from a list,
// "" for a connection that cannot be made, and notes when it came.
type play struct {
	answers []*http.Response
	at      []time.Duration
	began   time.Time
}

func (p *play) RoundTrip(r *http.Request) (*http.Response, error) {
	p.at = append(p.at, time.Since(p.began))
	if len(p.answers) == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	a := p.answers[0]
	p.answers = p.answers[1:]
	if a == nil {
		return nil, errors.New("connection refused")
	}
	return a, nil
}

func reply(code int, text string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: h, Body: io.NopCloser(strings.NewReader(text))}
}

// TestWaits: how long is waited before each connection.
func TestWaits(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []*http.Response
		waits   []time.Duration // before each but the first
	}{
		"failures": {
			[]*http.Response{nil, nil, reply(500, ""), nil, nil, nil, nil},
			[]time.Duration{1, 2, 4, 8, 16, 30, 30},
		},
		"a stream in between": {
			[]*http.Response{nil, nil, reply(200, "data: 1\n\n"), reply(200, "data: 1\n\n"), reply(200, ""), nil},
			[]time.Duration{1, 2, 1, 1, 2, 4},
		},
		"retry field": {
			[]*http.Response{reply(200, "retry: 5000\n\n"), nil, reply(200, "retry: 40000\ndata: 1\n\n"), nil},
			[]time.Duration{5, 10, 40, 40},
		},
		"Retry-After": {
			[]*http.Response{reply(429, "", "Retry-After", "20"), reply(503, "", "Retry-After", "1"), reply(429, "", "Retry-After", "999999")},
			[]time.Duration{20, 2, 3600},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &play{answers: tc.answers, began: time.Now()}
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				var m ingesttest.Memory
				rec := ingest.NewRecorder(&m, ingest.Settings{})
				_, err := ssetap.Record(ctx, rec, ingest.StreamOptions{}, ssetap.Options{
					URL: "http://agent.example/", Client: &http.Client{Transport: p},
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(p.at) != len(tc.waits)+1 {
					t.Fatalf("%d connections, want %d", len(p.at), len(tc.waits)+1)
				}
				for i, want := range tc.waits {
					want *= time.Second
					// It may vary by a fifth, so that many clients do not come at once.
					if got := p.at[i+1] - p.at[i]; got < want*4/5 || got > want*6/5 {
						t.Errorf("wait %d is %v, want about %v", i, got, want)
					}
				}
			})
		})
	}
}

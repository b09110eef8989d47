package replayhttp

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"tapedeck/internal/problem"
	"tapedeck/replay/player"
)

// Whatever a client asks for is either understood or a problem that says what
// is wrong.
func FuzzRequest(f *testing.F) {
	for _, q := range []string{
		"", "speed=max&mode=raw", "from=%2B1s&to=type:x", "type=a,b&type=c&direction=send", "follow=1", "idle_limit=1h", "x=1", "a;b", "%",
	} {
		f.Add(q, "", "text/event-stream;q=0.1, application/x-ndjson")
	}
	f.Add("last_event_id=-1", "1767323045123456789.019b7d3c-0000-7000-8000-000000000000.3", "*/*")
	f.Fuzz(func(t *testing.T, query, last, accept string) {
		r := &http.Request{URL: &url.URL{RawQuery: query}, Header: http.Header{"Last-Event-Id": {last}, "Accept": {accept}}}
		req, err := parse(r)
		if err != nil {
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Status != http.StatusBadRequest || p.Detail == "" {
				t.Errorf("%q: %v", query, err)
			}
			return
		}
		if !(req.speed == player.Max || req.speed >= player.Slowest && req.speed <= player.Fastest) || req.idle < 0 {
			t.Errorf("%q was read as %+v", query, req)
		}
	})
}

// What is refused is called by the name and the value that the client sent.
func TestRefusals(t *testing.T) {
	for query, want := range map[string]string{
		"follow=2":       `follow "2" is neither on nor off`,
		"idle_limit=x":   `idle_limit "x" is not a duration above zero`,
		"idle_limit=-1s": `idle_limit "-1s" is not a duration above zero`,
		"spede=2":        `This route has no parameter "spede".`,
		"tenant=x":       `This route has no parameter "tenant".`,
		"mode=colourful": `"colourful" is not event or raw`,
	} {
		_, err := parse(&http.Request{URL: &url.URL{RawQuery: query}, Header: http.Header{}})
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Detail != want || slices.Contains(p.Allowed, "tenant") {
			t.Errorf("%s: %+v, want %q", query, p, want)
		}
	}
}

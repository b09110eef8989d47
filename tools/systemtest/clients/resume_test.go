package clients

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"tapedeck/ingest"
	replayhttp "tapedeck/replay/http"
)

// An EventSource that is never closed, and is cut off twice, receives each frame and
// the end once, and then stops by itself.
func TestEventSourceReplayStops(t *testing.T) {
	t.Parallel()
	path := capture(t, "openai_chat/openai-text.chunks.txt")
	play := replayhttp.New(replayhttp.Options{Library: recorded(t, path), Logger: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		play.Replay(w, r, ingest.DefaultTenant, "captured")
	}))
	t.Cleanup(server.Close)
	c := cutAfter(t, server.Listener.Addr().String(), 30_000, 50_001)
	var got followed
	node(t, &got, nil, "eventsource.mjs", "http://"+c.address+"/v1/sessions/captured/replay?speed=max", "", "chat.completion.chunk", "[DONE]", "end")
	seen := map[string]int{}
	for _, e := range got.Events {
		seen[e.Name+e.ID]++
		if seen[e.Name+e.ID] > 1 {
			t.Errorf("%s %s came twice", e.Name, e.ID)
		}
	}
	last := got.Events[len(got.Events)-1]
	if frames := len(payloads(t, path)); len(got.Events) != frames+1 || last.Name != "end" || c.cuts() != 2 {
		t.Errorf("%d events of %d frames, the last %q, %d cuts", len(got.Events), frames, last.Name, c.cuts())
	}
}

// The same with a recorded server whose events have ids: it resumes in the
// recorded answer, to the event, and is sent away after the last.
func TestEventSourceResumesRecorded(t *testing.T) {
	t.Parallel()
	const events = 40
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 10\n\n")
		for i := range events {
			fmt.Fprintf(w, "id: 1700000000000-%d\nevent: values\ndata: {\"messages\":[],\"step\":%d}\n\n", i, i)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(upstream.Close)
	tape := proxied(t, upstream.URL, func(base string) {
		res, err := http.Get(base + "/threads/t/runs/r/stream")
		check(t, err)
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
		check(t, err)
	})
	u, err := url.Parse(emulate(t, "http", tape).URL)
	check(t, err)
	c := cutAfter(t, u.Host, 900, 1501)
	u.Host = c.address
	var got followed
	node(t, &got, nil, "eventsource.mjs", u.JoinPath("/threads/t/runs/r/stream").String(), "", "values")
	var want []heldEvent
	for i := range events {
		want = append(want, heldEvent{"values", fmt.Sprintf("1700000000000-%d", i), fmt.Sprintf(`{"messages":[],"step":%d}`, i)})
	}
	same(t, got, followed{3, want})
	if c.cuts() != 2 {
		t.Errorf("%d connections were cut off", c.cuts())
	}
}

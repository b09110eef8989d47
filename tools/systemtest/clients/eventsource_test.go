package clients

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/fulltest"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/tapefile"
)

// followed is the events that an EventSource received.
type followed struct {
	Opened int         `json:"opened"` // connections
	Events []heldEvent `json:"events"`
}

type heldEvent struct {
	Name string `json:"name"`
	ID   string `json:"id"`
	Data string `json:"data"`
}

// execution returns a workflow as Compozy streams it, with its events.
func execution(t *testing.T) (path string, events []heldEvent) {
	t.Helper()
	add := func(name string, data any) {
		text, err := json.Marshal(data)
		check(t, err)
		events = append(events, heldEvent{name, fmt.Sprint(len(events) + 1), string(text)})
	}
	add("workflow_start", object{"workflow_id": "report", "execution_id": "exec-9"})
	for i := range 60 {
		add("workflow_status", object{"status": "RUNNING", "step": fmt.Sprintf("step %d", i)})
		add("tool_call", object{"toolName": "http", "args": object{"page": i, "query": strings.Repeat("ä", i)}})
	}
	add("complete", object{"status": "SUCCESS", "result": object{"pages": 60}})
	var text strings.Builder
	for _, e := range events {
		fmt.Fprintf(&text, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Name, e.Data)
	}
	path = filepath.Join(t.TempDir(), "execution.sse")
	check(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path, events
}

var executionNames = []string{"workflow_start", "workflow_status", "tool_call"}

// An EventSource that is cut off twice, once in the middle of an event, comes
// back with Last-Event-ID, and has each event of an execution once, in order.
func TestEventSourceExecution(t *testing.T) {
	t.Parallel()
	path, want := execution(t)
	a := emulate(t, "compozy", path)
	c := cutAfter(t, a.Address, 3000, 4001)
	u, err := url.Parse(a.URL)
	check(t, err)
	u.Host = c.address
	var got followed
	node(t, &got, nil, "eventsource.mjs", append([]string{u.String(), "complete"}, executionNames...)...)
	same(t, got, followed{3, want})
	if c.cuts() != 2 {
		t.Errorf("%d connections were cut off", c.cuts())
	}
}

// The same in a browser, for a page from another port: the server allows it.
func TestBrowserExecution(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	found, err := browser()
	if err != nil {
		lack(t, err)
	}
	path, want := execution(t)
	a := emulate(t, "compozy", path)
	c := cutAfter(t, a.Address, 3000, 4001)
	u, err := url.Parse(a.URL)
	check(t, err)
	u.Host = c.address
	pages := httptest.NewServer(http.FileServer(http.Dir(".")))
	t.Cleanup(pages.Close)
	q := url.Values{"url": {u.String()}, "end": {"complete"}, "names": {strings.Join(executionNames, ",")}}
	var got followed
	node(t, &got, nil, "browser.mjs", found, pages.URL+"/eventsource.html?"+q.Encode())
	same(t, got, followed{3, want})
	if c.cuts() != 2 {
		t.Errorf("%d connections were cut off", c.cuts())
	}
}

// The player's own events: an EventSource that was cut off goes on at the next
// frame, and has the frames as they were captured.
func TestEventSourceReplay(t *testing.T) {
	t.Parallel()
	path := capture(t, "openai_chat/openai-text.chunks.txt")
	f := recorded(t, path)
	play := replayhttp.New(replayhttp.Options{Library: f, Logger: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		play.Replay(w, r, ingest.DefaultTenant, "captured")
	}))
	t.Cleanup(server.Close)
	c := cutAfter(t, server.Listener.Addr().String(), 30_000, 50_001)
	var got followed
	node(t, &got, nil, "eventsource.mjs", "http://"+c.address+"/v1/sessions/captured/replay?speed=max", "end", "chat.completion.chunk", "[DONE]")
	want := payloads(t, path)
	var frames []object
	seen := map[string]bool{}
	for _, e := range got.Events {
		var o object
		check(t, json.Unmarshal([]byte(e.Data), &o))
		if frame, ok := o["frame"].(object); ok {
			frames = append(frames, frame)
			if seen[e.ID] || e.ID == "" {
				t.Errorf("the id %q was given twice", e.ID)
			}
			seen[e.ID] = true
		}
	}
	same(t, frames, want)
	if got.Opened != 3 || c.cuts() != 2 {
		t.Errorf("%d connections, of which %d were cut off", got.Opened, c.cuts())
	}
}

// recorded makes a tape file of a file of lines or events.
func recorded(t *testing.T, path string) *tapefile.File {
	t.Helper()
	var memory ingesttest.Memory
	_, err := file.Record(t.Context(), ingest.NewRecorder(&memory, ingest.Settings{}),
		ingest.StreamOptions{Session: "captured"}, file.Options{Path: path})
	check(t, err)
	f, err := tapefile.Open(tapeOf(t, &memory, "captured"), tapefile.Options{})
	check(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

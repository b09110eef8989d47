package record

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// record --ws connects again after a cut: one stream of one session, with each
// frame at its time, a note where the gap is, and the end once the server closes.
// With --once the cut is the end.
func TestRecordWebSocketReconnects(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	var connections atomic.Int32
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, hello, err := c.Read(r.Context()); err != nil || string(hello) != "hello" {
			t.Errorf("the agent was sent %q (%v)", hello, err)
		}
		n := connections.Add(1)
		for i := range 3 {
			if c.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"connection":%d,"n":%d}`, n, i)) != nil {
				return
			}
		}
		if n == 2 {
			c.Close(websocket.StatusNormalClosure, "")
		}
	}))
	t.Cleanup(agent.Close)
	wsURL := "ws" + strings.TrimPrefix(agent.URL, "http")

	began := time.Now()
	_, stderr, exit := s.Run(t, "record", "--session", "reconnected", "--send", "hello", "--ws", wsURL)
	if exit != 0 || !strings.Contains(stderr, "connecting again") || connections.Load() != 2 {
		t.Fatalf("exit %d after %d connections: %s", exit, connections.Load(), stderr)
	}
	took := time.Since(began)
	var got []string
	streams := map[string]bool{}
	var cut, back time.Time // the last frame before the gap and the note after it
	for line := range strings.Lines(s.Must(t, "play", "reconnected", "--json", "--speed", "max")) {
		var f struct {
			CapturedAt time.Time       `json:"captured_at"`
			StreamID   string          `json:"stream_id"`
			Flags      []string        `json:"flags"`
			Frame      json.RawMessage `json:"frame"`
			Text       string          `json:"text"`
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if f.StreamID == "" {
			continue // the end
		}
		streams[f.StreamID] = true
		text := string(f.Frame) + f.Text
		if slices.Contains(f.Flags, "note") {
			text, _, _ = strings.Cut(text, ";")
			back = f.CapturedAt
		}
		if back.IsZero() {
			cut = f.CapturedAt
		}
		got = append(got, text)
	}
	want := []string{
		"hello", `{"connection":1,"n":0}`, `{"connection":1,"n":1}`, `{"connection":1,"n":2}`, "error: the connection was cut: EOF",
		"hello", `{"connection":2,"n":0}`, `{"connection":2,"n":1}`, `{"connection":2,"n":2}`,
	}
	if !slices.Equal(got, want) || len(streams) != 1 {
		t.Errorf("%d streams: %q\nwant %q", len(streams), got, want)
	}
	if gap := back.Sub(cut); gap < 500*time.Millisecond || gap > took {
		t.Errorf("the gap took %s of %s; it is connected again after half a second", gap, took)
	}
	_, session, _ := s.Get(t, "/v1/sessions/reconnected")
	if !strings.Contains(string(session), `"end_reason":"closed"`) || !strings.Contains(string(session), `"status":"ok"`) {
		t.Errorf("the session: %s", session)
	}

	connections.Store(0)
	s.Run(t, "record", "--session", "once", "--once", "--send", "hello", "--ws", wsURL)
	if n := connections.Load(); n != 1 {
		t.Errorf("with --once there were %d connections", n)
	}
	if _, session, _ = s.Get(t, "/v1/sessions/once"); !strings.Contains(string(session), `"status":"incomplete"`) {
		t.Errorf("with --once the session: %s", session)
	}
}

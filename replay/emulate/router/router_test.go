package router_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/internal/problem"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/router"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// Which server answers what.
func TestSession(t *testing.T) {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	et.Head(et.Asked(tape, 0, "GET /api/users?speed=9", nil, ""), 0, "200 OK").Add(0, "users")
	et.Head(et.Asked(tape, 0, "GET /a b;c", nil, ""), 0, "200 OK").Add(0, "bad line")
	et.Head(et.Asked(tape, 0, "GET /a%20b;c", nil, ""), 0, "200 OK").Add(0, "escaped")
	tape.Stream(schema.NDJSON, "loom").
		Add(0, `{"event_id":1,"type":"node_enter","id":"think"}`+"\n").
		Add(0, `{"event_id":2,"type":"message_chunk","content":"hi","id":"think"}`+"\n").
		Add(0, `{"event_id":3,"reply":"hi"}`+"\n")
	tape.Stream(schema.SSE, "anthropic-agent").Add(0, "data: [DONE]\n\n")
	f := router.New(emulate.Options{Library: tape, Logger: slog.New(slog.DiscardHandler), Alarm: player.TimerAlarm}, nil)
	base := et.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.Session(w, r, "default") }))
	for _, tc := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "session/api/users?speed=9", 200, "users"},
		{"GET", "session;take=a;speed=max/api/users?speed=9", 200, "users"},
		{"GET", "session;speed=none/api/users", 400, "speed"},
		{"GET", "session;speeed=1/api/users", 400, "speeed"},
		{"GET", "session/a%20b;c", 200, "escaped"},
		{"GET", "session/?form=typed", 200, `{"event_id":3,"reply":"hi"}`},
		{"GET", "session/?form=export", 200, "{\"TaskStart\":{\"node_id\":\"think\",\"namespace\":null}}\n{\"Messages\":"},
		{"GET", "session/?form=websocket", 200, `{"type":"run_stream_event","id":"run-`},
		{"GET", "session/?form=xml", 400, "form"},
		{"POST", "session/agent/run", 200, "data: [DONE]"},
		{"GET", "session/api/v0/executions/tasks/session/stream?speed=max", 200, "event: llm_chunk"},
		{"GET", "session", 426, "open ws://"},
		{"GET", "session/", 426, "/emulate/session/."},
		{"GET", "session/nothing", 404, "GET /api/users"},
		{"DELETE", "session/", 404, "GET /api/users"},
		{"GET", "other/", 404, "other"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, base+"/emulate/"+tc.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != tc.status || !strings.Contains(string(text), tc.want) {
			t.Errorf("%s %s: %d %s, %v", tc.method, tc.path, res.StatusCode, text, err)
		}
	}
}

// What a session can be asked in is known before anybody asks.
func TestSpeaks(t *testing.T) {
	for _, tc := range []struct {
		dialect, line, protocol string
		status                  int // 0 if it can
	}{
		{"loom", `{"event_id":1,"reply":"hi"}`, "loom", 0},
		{"loom", `{"type":"pong"}`, "loom", 409},
		{"generic", "{}", "loom", 409},
		{"loom", `{"event_id":1,"reply":"hi"}`, "http", 409},
		{"anthropic-agent", "data: [DONE]", "anthropic-agent", 0},
		{"generic", "{}", "anthropic-agent", 409},
		{"generic", "{}", "compozy", 0},
		{"generic", "{}", "gopher", 400},
	} {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		tape.Stream(schema.NDJSON, tc.dialect).Add(0, tc.line+"\n")
		f := router.New(emulate.Options{Library: tape, Logger: slog.New(slog.DiscardHandler)}, nil)
		err := f.Speaks(t.Context(), "default", replaytest.Session, tc.protocol)
		if p, _ := problem.From(err); (err == nil) != (tc.status == 0) || err != nil && p.Status != tc.status {
			t.Errorf("%s %s in %s: %v, want %d", tc.dialect, tc.line, tc.protocol, err, tc.status)
		}
	}
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	et.Head(et.Asked(tape, 0, "GET /x", nil, ""), 0, "200 OK").Add(0, "x")
	f := router.New(emulate.Options{Library: tape, Logger: slog.New(slog.DiscardHandler)}, nil)
	if err := f.Speaks(t.Context(), "default", replaytest.Session, "http"); err != nil {
		t.Error(err)
	}
	if p, _ := problem.From(f.Speaks(t.Context(), "default", "other", "http")); p.Status != 404 {
		t.Errorf("of no session: %+v", p)
	}
}

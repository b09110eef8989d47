package replay

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// provider streams an answer with gaps, gzipped.
func provider(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("X-Request-Id", "req-1")
	out := gzip.NewWriter(w)
	for i := range 4 {
		time.Sleep(150 * time.Millisecond) // the gaps are what is recorded and played
		fmt.Fprintf(out, "data: {\"object\":\"chat.completion.chunk\",\"id\":\"chatcmpl-%d\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d\"}}]}\n\n", len(body), i)
		_ = out.Flush()
		_ = http.NewResponseController(w).Flush()
	}
	fmt.Fprint(out, "data: [DONE]\n\n")
	_ = out.Close()
}

// timed returns a body and when its events came, however it is split.
func timed(t *testing.T, address, body string) (text string, at []time.Duration, h http.Header) {
	t.Helper()
	start := time.Now()
	res, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := res.Body.Read(buf)
		text += string(buf[:n])
		for len(at) < strings.Count(text, "\n\n") {
			at = append(at, time.Since(start))
		}
		if err == io.EOF {
			return text, at, res.Header
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// recordedAt returns how long after its request each event of the exchange in a
// session was recorded.
func recordedAt(t *testing.T, s *commandtest.Instance, id string) (at []time.Duration) {
	t.Helper()
	var asked time.Time
	for line := range strings.Lines(s.Must(t, "play", id, "--json", "--speed", "max")) {
		var f struct {
			CapturedAt time.Time `json:"captured_at"`
			Direction  string    `json:"direction"`
			Transport  string    `json:"transport"`
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Direction == "send":
			asked = f.CapturedAt
		case f.Transport == "sse":
			at = append(at, f.CapturedAt.Sub(asked))
		}
	}
	return at
}

// startEmulate runs the command for a session and returns its address.
func startEmulate(t *testing.T, s *commandtest.Instance, args ...string) (address string, stop func()) {
	t.Helper()
	cmd := s.Command(t, append([]string{"emulate", "--listen", "127.0.0.1:0"}, args...)...)
	stderr := &commandtest.LogBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the start of the emulated server", func() bool {
		address, _, _ = strings.Cut(stderr.String(), " plays session")
		return strings.Contains(address, "://")
	})
	return address, func() {
		t.Helper()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := bounded.Command(t, cmd); err != nil {
			t.Errorf("emulate: %v\n%s", err, stderr)
		}
	}
}

// What the proxy saw comes back, to the byte and at its times, from the server
// itself and from a port of its own.
func TestEmulateExchanges(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	upstream := httptest.NewServer(http.HandlerFunc(provider))
	t.Cleanup(upstream.Close)
	const id = "emulated; exchanges"
	proxied, stop := commandtest.StartProxy(t, s, id, upstream.URL)
	const body = `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`
	want, _, _ := timed(t, proxied+"/v1/chat/completions", body)
	stop()
	commandtest.UntilEnded(t, s, id)
	recorded := recordedAt(t, s, id)
	const segment = "emulated%3B%20exchanges" // id, escaped
	port, stopPort := startEmulate(t, s, "http", id)
	for _, address := range []string{
		s.URL + "/emulate/" + segment + "/v1/chat/completions",
		s.URL + "/emulate/" + segment + ";take=b;match=body/v1/chat/completions",
		port + "/v1/chat/completions",
	} {
		got, at, h := timed(t, address, body)
		if got != want || h.Get("X-Request-Id") != "req-1" || h.Get("Content-Encoding") != "" {
			t.Errorf("%s: got %q, %v\nwant %q", address, got, h, want)
		}
		if len(at) != 5 || len(recorded) != 5 {
			t.Fatalf("%s: %d events, recorded %d", address, len(at), len(recorded))
		}
		for i := range at {
			// Late by what the machine is busy; exact on a clock of their own are
			// the tests of what sends this.
			if off := at[i] - recorded[i]; off < -time.Millisecond || off > 10*time.Second {
				t.Errorf("%s: event %d came after %v, when recorded %v", address, i, at[i], recorded[i])
			}
		}
	}
	status, text, _ := s.Get(t, "/emulate/"+segment+"/v1/models")
	if status != http.StatusNotFound || !strings.Contains(string(text), "POST /v1/chat/completions") {
		t.Errorf("what is not recorded: %d %s", status, text)
	}
	for _, address := range []string{s.URL + "/emulate/" + segment + ";take=h2", port} {
		speakHTTP2(t, address+"/v1/chat/completions", body, want)
	}
	stopPort()
	if _, stderr, exit := s.Run(t, "emulate", "http", "no such session"); exit != commandtest.ExitFailed || !strings.Contains(stderr, "no such session") {
		t.Errorf("a session that is not there: exit %d, %s", exit, stderr)
	}
}

// The request of "record --sse --method POST" is recorded: an emulation answers the same body with the
// same answer, in any order.
func TestEmulateRecordedRequests(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":%q}\n\n", body)
	}))
	t.Cleanup(agent.Close)
	const id = "recorded requests"
	want := map[string]string{}
	for _, body := range []string{`{"n":1}`, `{"n":2}`, `{"n":3}`} {
		s.Must(t, "record", "--sse", agent.URL+"/run?v=1", "--method", "POST", "--body", body, "--header", "Content-Type: application/json", "--session", id)
		want[body] = fmt.Sprintf("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":%q}\n\n", body)
	}
	port, stop := startEmulate(t, s, "http", id, "--match", "body")
	for _, body := range []string{`{"n":3}`, `{"n":1}`, `{"n":2}`, `{"n":3}`} {
		if got, _, h := timed(t, port+"/run?v=1", body); got != want[body] || h.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: %q, %v, want %q", body, got, h, want[body])
		}
	}
	stop()
}

// speakHTTP2 asks with HTTP/2 from the first byte on, without TLS, and once asks an HTTP/1.1 connection
// to be upgraded to it, which is answered by HTTP/1.1.
func speakHTTP2(t *testing.T, address, body, want string) {
	t.Helper()
	plain := new(http.Protocols)
	plain.SetUnencryptedHTTP2(true)
	for version, transport := range map[int]*http.Transport{2: {Protocols: plain}, 1: {}} {
		defer transport.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if version == 1 {
			r.Header = http.Header{"Connection": {"Upgrade, HTTP2-Settings"}, "Upgrade": {"h2c"}, "Http2-Settings": {"AAMAAABkAARAAAAAAAIAAAAA"}}
		}
		res, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Errorf("%s by HTTP/%d: %v", address, version, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close() // all of it was read
		if err != nil || res.ProtoMajor != version || res.StatusCode != http.StatusOK || string(got) != want {
			t.Errorf("%s by HTTP/%d: %s %d %q, %v", address, version, res.Proto, res.StatusCode, got, err)
		}
	}
}

// Lines of Loom's are spoken as its WebSocket server does, at /.
func TestEmulateLoom(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	commandtest.Post(t, s, "emulated-loom", "application/x-ndjson", []byte(
		`{"session_id":"run-1","node_id":"run-think-0","event_id":1,"type":"node_enter","id":"think"}`+"\n"+
			`{"session_id":"run-1","node_id":"run-think-0","event_id":2,"type":"message_chunk","content":"hi","id":"think"}`+"\n"+
			`{"session_id":"run-1","node_id":"run-think-0","event_id":3,"reply":"hi","stop_reason":"end_turn"}`+"\n"))
	commandtest.UntilEnded(t, s, "emulated-loom")
	address, stop := startEmulate(t, s, "--speed", "max", "loom", "emulated-loom")
	defer stop()
	for _, address := range []string{address, "ws" + strings.TrimPrefix(s.URL, "http") + "/emulate/emulated-loom/"} {
		c := commandtest.DialWS(t, address)
		if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"run","message":"x","agent":"react"}`)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`{"type":"run_stream_event","id":"run-1","event":{"session_id":"run-1","node_id":"run-think-0","event_id":1,"type":"node_enter","id":"think"}}`,
			`{"type":"run_stream_event","id":"run-1","event":{"session_id":"run-1","node_id":"run-think-0","event_id":2,"type":"message_chunk","content":"hi","id":"think"}}`,
			`{"type":"run_end","id":"run-1","session_id":"run-1","node_id":"run-think-0","event_id":3,"reply":"hi"}`,
		} {
			if _, got, err := c.Read(t.Context()); err != nil || string(got) != want {
				t.Errorf("%s: got %s, %v\nwant %s", address, got, err, want)
			}
		}
		_ = c.Close(websocket.StatusNormalClosure, "")
	}
	if status, body, _ := s.Get(t, "/emulate/emulated-loom/"); status != http.StatusUpgradeRequired || !strings.Contains(string(body), "open ws://") {
		t.Errorf("without a WebSocket: %d %s", status, body)
	}
	// What it cannot be asked in is refused before anything is served.
	s.Must(t, "record", "--session", "emulated-generic", "--dialect", "generic", commandtest.TextFile(t, []byte("{}\n")))
	for _, c := range [][3]string{
		{"http", "emulated-loom", "no recorded HTTP exchanges"},
		{"loom", "emulated-generic", "no recorded runs of Loom"},
		{"anthropic-agent", "emulated-generic", "cannot be played as anthropic_agent's"},
	} {
		if _, stderr, exit := s.Run(t, "emulate", "--listen", "127.0.0.1:0", c[0], c[1]); exit != commandtest.ExitFailed || !strings.Contains(stderr, c[2]) {
			t.Errorf("emulate %s %s: exit %d, %s", c[0], c[1], exit, stderr)
		}
	}
	if status, body, _ := s.Get(t, "/api/v0/executions/workflows/emulated-loom/stream?speed=max"); status != 200 || !strings.Contains(string(body), "event: complete\n") {
		t.Errorf("as an execution: %d %s", status, body)
	}
}

// An execution is found by its own id.
func TestEmulateExecution(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	const events = "id: 1\nevent: workflow_start\ndata: {\"workflow_id\":\"w\",\"execution_id\":\"exec-77\"}\n\n" +
		"id: 2\nevent: workflow_status\ndata: {\"status\":\"RUNNING\"}\n\nid: 3\nevent: complete\ndata: {\"status\":\"SUCCESS\"}\n\n"
	commandtest.Post(t, s, "emulated-execution", "text/event-stream", []byte(events))
	commandtest.UntilEnded(t, s, "emulated-execution")
	if status, body, h := s.Get(t, "/api/v0/executions/workflows/exec-77/stream?speed=max"); status != 200 || string(body) != events || h.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %d %q", status, body)
	}
	if status, body, _ := s.Get(t, "/api/v0/executions/workflows/exec-78/stream"); status != 404 || !strings.Contains(string(body), "exec-78") {
		t.Errorf("got %d %q", status, body)
	}
}

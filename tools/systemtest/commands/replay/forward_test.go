package replay

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/syncbuffer"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// collector is an endpoint for traces that decodes requests with the collector's own types.
type collector struct {
	*httptest.Server
	mu       sync.Mutex                // guards the fields below
	answer   func() (int, string)      // nil: everything is taken
	spans    map[string]map[string]int // how often each span of a session was taken
	headers  http.Header               // of the last request
	requests int
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string]map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		c.headers = r.Header
		if c.answer != nil {
			if status, body := c.answer(); status != http.StatusOK {
				http.Error(w, body, status)
				return
			}
		}
		plain, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(plain)
		if err != nil {
			t.Error(err)
		}
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
			return
		}
		for _, of := range traces.ResourceSpans().All() {
			for _, scope := range of.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					session, _ := span.Attributes().Get("gen_ai.conversation.id")
					if c.spans[session.Str()] == nil {
						c.spans[session.Str()] = map[string]int{}
					}
					c.spans[session.Str()][span.SpanID().String()]++
				}
			}
		}
		_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(c.Close)
	return c
}

// taken returns the number of spans of a session, and how often the one that came most often came.
func (c *collector) taken(session string) (spans, times int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.spans[session] {
		times = max(times, n)
	}
	return len(c.spans[session]), times
}

func (c *collector) set(answer func() (int, string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// Spans of sessions that end are sent once, while the endpoint is away they wait, and after the command was ended it
// continues. What the endpoint refuses is said, and does not hold others back.
func TestForward(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	c := newCollector(t)
	state := filepath.Join(t.TempDir(), "of", "position.json")
	record := func(session string) {
		commandtest.Post(t, s, session, "application/x-ndjson", []byte(commandtest.LoomRun))
		commandtest.UntilEnded(t, s, session)
		bounded.Until(t, "the spans of "+session+" are stored", func() bool { return spansOf(t, s, session) == 4 })
	}
	once := func(want string, exit int, args ...string) string {
		t.Helper()
		out, stderr, got := s.Run(t, append([]string{"forward", c.URL, "--once", "--state", state}, args...)...)
		if out != want || got != exit {
			t.Errorf("exit %d, want %d: %q, want %q\n%s", got, exit, out, want, stderr)
		}
		return stderr
	}
	once("sent 0 sessions, 0 spans\n", 0)
	record("one")
	once("sent 1 session, 4 spans\n", 0, "--header", "Authorization=Basic%20eA==", "--header", "X-Org=a=b")
	if c.headers.Get("Authorization") != "Basic eA==" || c.headers.Get("X-Org") != "a=b" {
		t.Errorf("headers %v", c.headers)
	}
	once("sent 0 sessions, 0 spans\n", 0)
	if spans, times := c.taken("one"); spans != 4 || times != 1 {
		t.Errorf("%d spans of the session, up to %d times", spans, times)
	}

	record("refused")
	c.set(func() (int, string) { return http.StatusBadRequest, "bad\nspan" })
	if said := once("sent 0 sessions, 0 spans, 1 sessions refused\n", 0); !strings.Contains(said, `session refused is left out: `+c.URL+`/v1/traces answered 400 Bad Request: "bad\nspan"`) {
		t.Errorf("a session that is refused: %s", said)
	}
	c.set(func() (int, string) { return http.StatusUnauthorized, "" })
	record("two")
	if said := once("", commandtest.ExitFailed); !strings.Contains(said, "answered 401 Unauthorized") {
		t.Errorf("wrong credentials: %s", said)
	}
	if text, err := os.ReadFile(state); err != nil || bytes.Contains(text, []byte(`"two"`)) {
		t.Errorf("%s, %v", text, err)
	}
	c.set(func() (int, string) { return http.StatusServiceUnavailable, "" })
	if said := once("", commandtest.ExitFailed); !strings.Contains(said, "the endpoint "+c.URL+"/v1/traces took nothing in 4 attempts") {
		t.Errorf("an endpoint that is away: %s", said)
	}
	busy := 0
	c.set(func() (int, string) {
		if busy++; busy < 3 {
			return http.StatusServiceUnavailable, ""
		}
		return http.StatusOK, ""
	})
	once("sent 1 session, 4 spans\n", 0)

	out := &syncbuffer.Output{}
	cmd := s.Command(t, "forward", c.URL, "--every", "1s", "--state", state)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	record("three")
	bounded.Until(t, "a session is sent after its end", func() bool { spans, _ := c.taken("three"); return spans == 4 })
	if said := once("", commandtest.ExitFailed); !strings.Contains(said, "another \"tapedeck forward\" has the position") {
		t.Errorf("two at once: %s", said)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended by a signal: %v\n%s", err, out)
	}
	ended = true
	record("four")
	once("sent 1 session, 4 spans\n", 0)
	for _, session := range []string{"one", "two", "three", "four"} {
		if spans, times := c.taken(session); spans != 4 || times != 1 {
			t.Errorf("%s: %d spans, up to %d times", session, spans, times)
		}
	}
	for args, want := range map[string]string{
		"localhost:4318":                "it must be http://HOST:4318",
		c.URL + " --every 1ms":          "it must be 1s or more",
		c.URL + " --header Bearer":      "it must be NAME=VALUE",
		"http://user:secret@host:4318/": "credentials in --header",
	} {
		if _, stderr, exit := s.Run(t, append([]string{"forward"}, strings.Fields(args)...)...); exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("forward %s: exit %d, %s", args, exit, stderr)
		}
	}
}

// spansOf returns the number of spans in the document of a session.
func spansOf(t *testing.T, s *commandtest.Instance, session string) int {
	t.Helper()
	_, body, _ := s.Get(t, "/v1/sessions/"+session+"/otlp")
	return bytes.Count(body, []byte(`"spanId"`))
}

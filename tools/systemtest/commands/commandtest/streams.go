package commandtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
)

// LoomRun is a run in the form in which a Loom agent sends it.
const LoomRun = `{"session_id":"r","node_id":"run-think-0","event_id":1,"type":"run_start","run_id":"r1","message":"What is it?"}
{"session_id":"r","node_id":"run-think-0","event_id":2,"type":"node_enter","id":"think"}
{"session_id":"r","node_id":"run-think-0","event_id":3,"type":"message_chunk","content":"Noon.","id":"think"}
{"session_id":"r","node_id":"run-think-0","event_id":4,"type":"tool_start","call_id":"c1","name":"clock"}
{"session_id":"r","node_id":"run-think-0","event_id":5,"type":"tool_end","call_id":"c1","name":"clock","result":"12:00","is_error":false}
{"session_id":"r","node_id":"run-think-0","event_id":6,"type":"usage","prompt_tokens":10,"completion_tokens":2,"total_tokens":12}
{"session_id":"r","node_id":"run-think-0","event_id":7,"type":"node_exit","id":"think","result":"Ok"}
{"session_id":"r","node_id":"run-think-0","event_id":8,"reply":"Noon."}
`

// Streams that each transport replays unchanged. They have malformed parts.
var (
	AwkwardLines = "\xef\xbb\xbf{\"session_id\":\"own\",\"type\":\"a\"}\n" + "{\"crlf\":true}\r\n" + "\n" + "not json\n" +
		"{\"cut\":\n" + "{\"nul\":\"\x00\"}\n" + "\xff\xfe invalid\n" + "{\n  \"pretty\": 1\n}\n" + "{\"no\":\"newline\"}"
	AwkwardEvents = "\xef\xbb\xbf: comment\n\n" + "event: a\nid: 1\nretry: 50\ndata: {\"x\":1}\n\n" + "data: one\ndata: two\n\n" +
		"data:{\"crlf\":1}\r\n\r\n" + "\n\n" + "stray text\n\n" + "data\n\n" + "data: \xff\n\n" + "data: {\"no\":\"end\"}\n"
	AwkwardMessages = []string{`{"a":1}`, "text", "\x00\x01", "", strings.Repeat("long ", 20000)}
)

// Playable is the recording of one transport.
type Playable struct {
	Accept string // media type of the replay that equals the recorded transport
	Want   []byte // what the replay returns
}

// TextFile writes a file in a folder of the test and returns its path.
func TextFile(t *testing.T, content []byte) string {
	path := filepath.Join(t.TempDir(), "frames")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Post sends a body in pieces of a few bytes. The server must accept it.
func Post(t *testing.T, s *Instance, id, contentType string, body []byte) {
	t.Helper()
	r, w := io.Pipe()
	go func() {
		for i := 0; i < len(body); i += 7 {
			_, _ = w.Write(body[i:min(i+7, len(body))]) // the answer reports an error
		}
		w.Close()
	}()
	resp, err := http.Post(s.URL+"/v1/ingest?session="+strings.ReplaceAll(id, " ", "%20"), contentType, r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("POST /v1/ingest: %s %s", resp.Status, answer)
	}
}

// StreamingServer returns a server that sends a body in pieces.
func StreamingServer(t *testing.T, contentType string, body []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(body); i += 11 {
			_, _ = w.Write(body[i:min(i+11, len(body))]) // the client reports an error
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// GetThroughProxy sends a request to a server through the recording proxy and checks that the
// answer is unchanged.
func GetThroughProxy(t *testing.T, s *Instance, id, upstream string, want []byte) {
	t.Helper()
	url, stop := StartProxy(t, s, id, upstream)
	resp, err := http.Get(url + "/stream?x=1")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("through the proxy (%v) came\n%q\nwant\n%q", err, got, want)
	}
	stop()
}

// StartProxy starts the recording proxy with further flags. id is the session; it may be empty.
func StartProxy(t *testing.T, s *Instance, id, upstream string, more ...string) (url string, stop func()) {
	t.Helper()
	cmd := s.Command(t, append([]string{"proxy", "--session", id, "--listen", "127.0.0.1:0", "--upstream", upstream}, more...)...)
	stderr := &LogBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the proxy's start", func() bool {
		url = listening.FindString(stderr.String())
		return url != ""
	})
	return url, func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := bounded.Command(t, cmd); err != nil {
			t.Errorf("proxy: %v\n%s", err, stderr)
		}
	}
}

// DialWS opens a WebSocket, which is closed at the end of the test.
func DialWS(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(1 << 24)
	return c
}

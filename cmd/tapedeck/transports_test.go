package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
)

// The streams that every transport has to bring back to the byte: what is
// malformed included.
var (
	awkwardLines = "\xef\xbb\xbf{\"session_id\":\"own\",\"type\":\"a\"}\n" + "{\"crlf\":true}\r\n" + "\n" + "not json\n" +
		"{\"cut\":\n" + "{\"nul\":\"\x00\"}\n" + "\xff\xfe invalid\n" + "{\n  \"pretty\": 1\n}\n" + "{\"no\":\"newline\"}"
	awkwardEvents = "\xef\xbb\xbf: comment\n\n" + "event: a\nid: 1\nretry: 50\ndata: {\"x\":1}\n\n" + "data: one\ndata: two\n\n" +
		"data:{\"crlf\":1}\r\n\r\n" + "\n\n" + "stray text\n\n" + "data\n\n" + "data: \xff\n\n" + "data: {\"no\":\"end\"}\n"
	awkwardMessages = []string{`{"a":1}`, "text", "\x00\x01", "", strings.Repeat("long ", 20000)}
)

// playable is where one transport's recording is, and what must come back.
type playable struct {
	accept string // of the replay: the recorded transport
	want   []byte
}

// Every transport records the same awkward streams, and raw playback returns the
// very bytes.
func TestTransports(t *testing.T) {
	s := sharedServer(t)
	lines, events := []byte(awkwardLines), []byte(awkwardEvents)
	const ndjson, sse = "application/x-ndjson", "text/event-stream"
	for name, record := range map[string]func(t *testing.T, session string) playable{
		"file of lines": func(t *testing.T, id string) playable {
			s.must(t, "record", "--again", "--session", id, textFile(t, lines))
			return playable{ndjson, lines}
		},
		"file of events": func(t *testing.T, id string) playable {
			s.must(t, "record", "--again", "--session", id, textFile(t, events))
			return playable{sse, events}
		},
		"standard input": func(t *testing.T, id string) playable {
			cmd := s.command(t, "record", "--session", id, "-")
			cmd.Stdin = bytes.NewReader(lines)
			if _, stderr, exit := finish(t, cmd); exit != 0 {
				t.Fatal(stderr)
			}
			return playable{ndjson, lines}
		},
		"command": func(t *testing.T, id string) playable {
			stdout, stderr, exit := s.run(t, "record", "--session", id, "--", "sh", "-c", "cat "+textFile(t, lines)+"; exit 3")
			if exit != 3 || stdout != awkwardLines {
				t.Fatalf("exit %d, passed through %q\n%s", exit, stdout, stderr)
			}
			return playable{ndjson, lines}
		},
		"followed file": func(t *testing.T, id string) playable { return playable{ndjson, followed(t, s, id)} },
		"body of lines": func(t *testing.T, id string) playable {
			post(t, s, id, ndjson, lines)
			return playable{ndjson, lines}
		},
		"body of events": func(t *testing.T, id string) playable {
			post(t, s, id, sse, events)
			return playable{sse, events}
		},
		"SSE at a URL": func(t *testing.T, id string) playable {
			server := serving(t, sse, events)
			s.must(t, "record", "--session", id, "--once", "--sse", server)
			return playable{sse, events}
		},
		"NDJSON at a URL": func(t *testing.T, id string) playable {
			s.must(t, "record", "--session", id, "--once", "--sse", serving(t, ndjson, lines))
			return playable{ndjson, lines}
		},
		"proxied SSE": func(t *testing.T, id string) playable {
			through(t, s, id, serving(t, sse, events), events)
			return playable{sse, events}
		},
		"proxied NDJSON": func(t *testing.T, id string) playable {
			through(t, s, id, serving(t, ndjson, lines), lines)
			return playable{ndjson, lines}
		},
		"proxied JSON": func(t *testing.T, id string) playable {
			body := []byte(`{"x":[1,` + "\r\n" + `2]}`)
			through(t, s, id, serving(t, "application/json", body), body)
			return playable{ndjson, body}
		},
		"proxied bytes": func(t *testing.T, id string) playable {
			body := bytes.Repeat([]byte("\x89PNG\r\n\x00\xff"), 40_000)
			through(t, s, id, serving(t, "image/png", body), body)
			return playable{ndjson, body}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "transport: " + name
			r := record(t, id)
			var got []byte
			bounded.Until(t, "the end of the recording", func() bool {
				var status int
				status, got, _ = s.get(t, "/v1/sessions/"+strings.ReplaceAll(id, " ", "%20")+"/replay?mode=raw&speed=max", "Accept", r.accept)
				return status == http.StatusOK && len(got) >= len(r.want)
			})
			if r.accept == sse { // the end comes after the recording
				got, _, _ = bytes.Cut(got, []byte("event: end\n"))
			}
			if !bytes.HasPrefix(got, r.want) || len(bytes.TrimSpace(got[len(r.want):])) > 0 {
				t.Errorf("raw playback returns\n%q\nwant\n%q", got, r.want)
			}
			// The command takes the protocol's own end off again: equal to the byte.
			format := map[string]string{ndjson: "ndjson", sse: "sse"}[r.accept]
			if out := s.must(t, "play", id, "--format", format, "--speed", "max"); out != string(r.want) {
				t.Errorf("play --format %s prints\n%q\nwant\n%q", format, out, r.want)
			}
		})
	}
}

func textFile(t *testing.T, content []byte) string {
	path := filepath.Join(t.TempDir(), "frames")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// post sends a body in pieces and wants it taken.
func post(t *testing.T, s *instance, id, contentType string, body []byte) {
	t.Helper()
	r, w := io.Pipe()
	go func() {
		for i := 0; i < len(body); i += 7 {
			_, _ = w.Write(body[i:min(i+7, len(body))]) // the answer says
		}
		w.Close()
	}()
	resp, err := http.Post(s.url+"/v1/ingest?session="+strings.ReplaceAll(id, " ", "%20"), contentType, r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("POST /v1/ingest: %s %s", resp.Status, answer)
	}
}

// serving returns a server that streams a body, piece by piece.
func serving(t *testing.T, contentType string, body []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(body); i += 11 {
			_, _ = w.Write(body[i:min(i+11, len(body))]) // the client says
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// followed records a file while it grows and is rotated.
func followed(t *testing.T, s *instance, id string) []byte {
	path := filepath.Join(t.TempDir(), "log")
	var all bytes.Buffer
	add := func(text string) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
	}
	// stored waits until so many bytes of it can be read.
	stored := func(bytes int) {
		bounded.Until(t, fmt.Sprintf("%d bytes of the file", bytes), func() bool {
			status, body, _ := s.get(t, "/v1/sessions/"+url.PathEscape(id)+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
			return status == http.StatusOK && len(body) >= bytes
		})
	}
	half := strings.Index(awkwardLines, "not json")
	add(awkwardLines[:half])
	cmd := s.command(t, "record", "--session", id, "--follow", path)
	stderr := &logBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stored(half)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add(awkwardLines[half:])
	stored(strings.LastIndex(awkwardLines, "\n") + 1)
	add("\n") // ends the last line, which waits for it
	stored(len(awkwardLines) + 1)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Command(t, cmd); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return all.Bytes()
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// through asks a server through the recording proxy and wants the same answer.
func through(t *testing.T, s *instance, id, upstream string, want []byte) {
	t.Helper()
	url, stop := startProxy(t, s, id, upstream)
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

// startProxy runs the recording proxy; id may be empty, and more are further flags.
func startProxy(t *testing.T, s *instance, id, upstream string, more ...string) (url string, stop func()) {
	t.Helper()
	cmd := s.command(t, append([]string{"proxy", "--session", id, "--listen", "127.0.0.1:0", "--upstream", upstream}, more...)...)
	stderr := &logBuffer{}
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

// WebSocket messages come back as messages: from a URL, through the proxy, and
// from a client of the endpoint.
func TestWebSocketTransports(t *testing.T) {
	s := sharedServer(t)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, hello, err := c.Read(r.Context()); err != nil || string(hello) != "hello" {
			t.Errorf("the agent was sent %q (%v)", hello, err)
		}
		for i, m := range awkwardMessages {
			if c.Write(r.Context(), kindOf(i), []byte(m)) != nil {
				return
			}
		}
		c.Close(websocket.StatusNormalClosure, "")
	}))
	t.Cleanup(agent.Close)
	wsURL := "ws" + strings.TrimPrefix(agent.URL, "http")
	for name, record := range map[string]func(t *testing.T, id string){
		"URL": func(t *testing.T, id string) { s.must(t, "record", "--session", id, "--send", "hello", "--ws", wsURL) },
		"proxy": func(t *testing.T, id string) {
			url, stop := startProxy(t, s, id, agent.URL)
			c := dialWS(t, "ws"+strings.TrimPrefix(url, "http"))
			if err := c.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
				t.Fatal(err)
			}
			readAll(t, c)
			stop()
		},
		"endpoint": func(t *testing.T, id string) {
			c := dialWS(t, "ws"+strings.TrimPrefix(s.url, "http")+"/v1/ingest/ws?session="+id)
			for i, m := range awkwardMessages {
				if err := c.Write(t.Context(), kindOf(i), []byte(m)); err != nil {
					t.Fatal(err)
				}
			}
			for acked := -1; acked < len(awkwardMessages)-1; {
				_, text, err := c.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := fmt.Sscanf(string(text), `{"ack":%d}`, &acked); err != nil {
					t.Fatalf("ack %q: %v", text, err)
				}
			}
			c.Close(websocket.StatusNormalClosure, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "ws-" + name
			record(t, id)
			bounded.Until(t, "the end of the recording", func() bool {
				status, body, _ := s.get(t, "/v1/sessions/"+id)
				return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
			})
			c := dialWS(t, "ws"+strings.TrimPrefix(s.url, "http")+"/v1/sessions/"+id+"/replay?mode=raw&speed=max&direction=receive")
			kinds, got := readAll(t, c)
			if len(got) != len(awkwardMessages) {
				t.Fatalf("%d messages, want %d", len(got), len(awkwardMessages))
			}
			for i, m := range awkwardMessages {
				if got[i] != m || kinds[i] != kindOf(i) {
					t.Errorf("message %d: %v %q, want %v %q", i, kinds[i], got[i], kindOf(i), m)
				}
			}
		})
	}
}

// kindOf has every third message be binary.
func kindOf(i int) websocket.MessageType {
	if i%3 == 2 {
		return websocket.MessageBinary
	}
	return websocket.MessageText
}

func dialWS(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(1 << 24)
	return c
}

// readAll reads messages until the other side closes in good order.
func readAll(t *testing.T, c *websocket.Conn) (kinds []websocket.MessageType, messages []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		kind, data, err := c.Read(ctx)
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			return kinds, messages
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds, messages = append(kinds, kind), append(messages, string(data))
	}
}

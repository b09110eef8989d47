package record

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Every transport records the same awkward streams, and raw playback returns the
// very bytes.
func TestTransports(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	lines, events := []byte(commandtest.AwkwardLines), []byte(commandtest.AwkwardEvents)
	const ndjson, sse = "application/x-ndjson", "text/event-stream"
	for name, record := range map[string]func(t *testing.T, session string) commandtest.Playable{
		"file of lines": func(t *testing.T, id string) commandtest.Playable {
			s.Must(t, "record", "--again", "--session", id, commandtest.TextFile(t, lines))
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"file of events": func(t *testing.T, id string) commandtest.Playable {
			s.Must(t, "record", "--again", "--session", id, commandtest.TextFile(t, events))
			return commandtest.Playable{Accept: sse, Want: events}
		},
		"standard input": func(t *testing.T, id string) commandtest.Playable {
			cmd := s.Command(t, "record", "--session", id, "-")
			cmd.Stdin = bytes.NewReader(lines)
			if _, stderr, exit := commandtest.Finish(t, cmd); exit != 0 {
				t.Fatal(stderr)
			}
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"command": func(t *testing.T, id string) commandtest.Playable {
			stdout, stderr, exit := s.Run(t, "record", "--session", id, "--", "sh", "-c", "cat "+commandtest.TextFile(t, lines)+"; exit 3")
			if exit != 3 || stdout != commandtest.AwkwardLines {
				t.Fatalf("exit %d, passed through %q\n%s", exit, stdout, stderr)
			}
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"followed file": func(t *testing.T, id string) commandtest.Playable {
			return commandtest.Playable{Accept: ndjson, Want: followed(t, s, id)}
		},
		"body of lines": func(t *testing.T, id string) commandtest.Playable {
			commandtest.Post(t, s, id, ndjson, lines)
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"body of events": func(t *testing.T, id string) commandtest.Playable {
			commandtest.Post(t, s, id, sse, events)
			return commandtest.Playable{Accept: sse, Want: events}
		},
		"SSE at a URL": func(t *testing.T, id string) commandtest.Playable {
			server := commandtest.StreamingServer(t, sse, events)
			s.Must(t, "record", "--session", id, "--once", "--sse", server)
			return commandtest.Playable{Accept: sse, Want: events}
		},
		"NDJSON at a URL": func(t *testing.T, id string) commandtest.Playable {
			s.Must(t, "record", "--session", id, "--once", "--sse", commandtest.StreamingServer(t, ndjson, lines))
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"proxied SSE": func(t *testing.T, id string) commandtest.Playable {
			commandtest.GetThroughProxy(t, s, id, commandtest.StreamingServer(t, sse, events), events)
			return commandtest.Playable{Accept: sse, Want: events}
		},
		"proxied NDJSON": func(t *testing.T, id string) commandtest.Playable {
			commandtest.GetThroughProxy(t, s, id, commandtest.StreamingServer(t, ndjson, lines), lines)
			return commandtest.Playable{Accept: ndjson, Want: lines}
		},
		"proxied JSON": func(t *testing.T, id string) commandtest.Playable {
			body := []byte(`{"x":[1,` + "\r\n" + `2]}`)
			commandtest.GetThroughProxy(t, s, id, commandtest.StreamingServer(t, "application/json", body), body)
			return commandtest.Playable{Accept: ndjson, Want: body}
		},
		"proxied bytes": func(t *testing.T, id string) commandtest.Playable {
			body := bytes.Repeat([]byte("\x89PNG\r\n\x00\xff"), 40_000)
			commandtest.GetThroughProxy(t, s, id, commandtest.StreamingServer(t, "image/png", body), body)
			return commandtest.Playable{Accept: ndjson, Want: body}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "transport: " + name
			r := record(t, id)
			var got []byte
			bounded.Until(t, "the end of the recording", func() bool {
				var status int
				status, got, _ = s.Get(t, "/v1/sessions/"+strings.ReplaceAll(id, " ", "%20")+"/replay?mode=raw&speed=max", "Accept", r.Accept)
				return status == http.StatusOK && len(got) >= len(r.Want)
			})
			if r.Accept == sse { // the end comes after the recording
				got, _, _ = bytes.Cut(got, []byte("event: end\n"))
			}
			if !bytes.HasPrefix(got, r.Want) || len(bytes.TrimSpace(got[len(r.Want):])) > 0 {
				t.Errorf("raw playback returns\n%q\nwant\n%q", got, r.Want)
			}
			// The command takes the protocol's own end off again: equal to the byte.
			format := map[string]string{ndjson: "ndjson", sse: "sse"}[r.Accept]
			if out := s.Must(t, "play", id, "--format", format, "--speed", "max"); out != string(r.Want) {
				t.Errorf("play --format %s prints\n%q\nwant\n%q", format, out, r.Want)
			}
		})
	}
}

// followed records a file while it grows and is rotated.
func followed(t *testing.T, s *commandtest.Instance, id string) []byte {
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
			status, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(id)+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
			return status == http.StatusOK && len(body) >= bytes
		})
	}
	half := strings.Index(commandtest.AwkwardLines, "not json")
	add(commandtest.AwkwardLines[:half])
	cmd := s.Command(t, "record", "--session", id, "--follow", path)
	stderr := &commandtest.LogBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stored(half)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add(commandtest.AwkwardLines[half:])
	stored(strings.LastIndex(commandtest.AwkwardLines, "\n") + 1)
	add("\n") // ends the last line, which waits for it
	stored(len(commandtest.AwkwardLines) + 1)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Command(t, cmd); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return all.Bytes()
}

// WebSocket messages come back as messages: from a URL, through the proxy, and
// from a client of the endpoint.
func TestWebSocketTransports(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, hello, err := c.Read(r.Context()); err != nil || string(hello) != "hello" {
			t.Errorf("the agent was sent %q (%v)", hello, err)
		}
		for i, m := range commandtest.AwkwardMessages {
			if c.Write(r.Context(), kindOf(i), []byte(m)) != nil {
				return
			}
		}
		c.Close(websocket.StatusNormalClosure, "")
	}))
	t.Cleanup(agent.Close)
	wsURL := "ws" + strings.TrimPrefix(agent.URL, "http")
	for name, record := range map[string]func(t *testing.T, id string){
		"URL": func(t *testing.T, id string) { s.Must(t, "record", "--session", id, "--send", "hello", "--ws", wsURL) },
		"proxy": func(t *testing.T, id string) {
			url, stop := commandtest.StartProxy(t, s, id, agent.URL)
			c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(url, "http"))
			if err := c.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
				t.Fatal(err)
			}
			readAll(t, c)
			stop()
		},
		"endpoint": func(t *testing.T, id string) {
			c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session="+id)
			for i, m := range commandtest.AwkwardMessages {
				if err := c.Write(t.Context(), kindOf(i), []byte(m)); err != nil {
					t.Fatal(err)
				}
			}
			for acked := -1; acked < len(commandtest.AwkwardMessages)-1; {
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
				status, body, _ := s.Get(t, "/v1/sessions/"+id)
				return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
			})
			c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/sessions/"+id+"/replay?mode=raw&speed=max&direction=receive")
			kinds, got := readAll(t, c)
			if len(got) != len(commandtest.AwkwardMessages) {
				t.Fatalf("%d messages, want %d", len(got), len(commandtest.AwkwardMessages))
			}
			for i, m := range commandtest.AwkwardMessages {
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

// readAll reads messages until the other side closes in good order.
func readAll(t *testing.T, c *websocket.Conn) (kinds []websocket.MessageType, messages []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
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

package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/redact/redacttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
)

// listenKeyed is listen with a store of keys.
func listenKeyed(t *testing.T) *listening {
	t.Helper()
	l := listen(t, HandlerOptions{})
	store, err := keys.New(keys.Options{NATS: localtest.NATS(t), Next: &l.memory, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l.handler.opts.Keys = store
	return l
}

// greeted reads the first message of a server for a key.
func greeted(t *testing.T, c *websocket.Conn) int64 {
	t.Helper()
	m, err := receive(t, c)
	if err != nil || m.Ack == nil {
		t.Fatalf("the server began with %+v, %v", m, err)
	}
	return *m.Ack
}

func line(i int) string {
	return fmt.Sprintf(`{"session_id":"talk","event_id":%d,"type":"message_chunk","id":"think","content":"word %d "}`, i+1, i)
}

// sendLines sends messages from one to before another.
func sendLines(t *testing.T, c *websocket.Conn, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		send(t, c, websocket.MessageText, line(i))
	}
}

// cut breaks a connection inside a message.
func cut(t *testing.T, c *websocket.Conn, part string) {
	t.Helper()
	w, err := c.Writer(t.Context(), websocket.MessageText)
	if err == nil {
		_, err = w.Write([]byte(part))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.CloseNow()
}

// A new connection under the same key continues the stream, from wherever the client
// sends again.
func TestReopenedUnderKey(t *testing.T) {
	const first, all = 20, 50
	for name, offset := range map[string]int{"beginning": 0, "between": 7, "durable": first} {
		t.Run(name, func(t *testing.T) {
			l := listenKeyed(t)
			c := l.dial(t, "?key=k")
			if n := greeted(t, c); n != -1 {
				t.Errorf("a new key has %d", n)
			}
			sendLines(t, c, 0, first)
			for n := int64(-1); n < first-1; {
				n = greeted(t, c)
			}
			cut(t, c, line(first)[:10])
			if end := l.ended(t); !strings.HasPrefix(end.EndReason, "error: ") || end.Frames != first {
				t.Errorf("cut off it stands at %+v", end)
			}
			id := l.memory.Streams()[0]
			before := l.memory.Frames(id)
			c = l.dial(t, fmt.Sprintf("?key=k&offset=%d", offset))
			if n := greeted(t, c); n != first-1 {
				t.Errorf("%d are durable, want %d", n, first-1)
			}
			sendLines(t, c, offset, all)
			for n := int64(first - 1); n < all-1; {
				n = greeted(t, c)
			}
			if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
				t.Error(err)
			}
			bounded.Until(t, "the key has ended", func() bool {
				status, err := l.handler.opts.Keys.Status(t.Context(), "default", "k")
				return err == nil && status.Ended
			})
			frames := l.memory.Frames(id)
			if len(frames) != all || len(l.memory.Streams()) != 1 {
				t.Fatalf("%d frames in %d streams", len(frames), len(l.memory.Streams()))
			}
			for i, f := range frames {
				if string(f.Raw) != line(i) || f.Flags.Has(schema.FlagUnterminated) || i < first && f.At != before[i].At {
					t.Errorf("frame %d is %q, at %d", i, f.Raw, f.At)
				}
			}
			if end, _ := l.memory.State(id, "talk"); end.EndReason != "closed" || end.Frames != all || end.Key != "k" {
				t.Errorf("it stands at %+v", end)
			}
		})
	}
}

// Messages with secrets are sent again after a cut: the log has them masked, and their numbers count.
func TestMaskedReopenedUnderKey(t *testing.T) {
	const first, all = 4, 8
	message := func(i int) string {
		return fmt.Sprintf(`{"session_id":"talk","event_id":%d,"type":"message_chunk","id":"think","content":"use %s "}`, i+1,
			redacttest.Text("gh~p_~{36}", uint64(i)))
	}
	for name, offset := range map[string]int{"beginning": 0, "between": 2, "durable": first} {
		t.Run(name, func(t *testing.T) {
			l := listenKeyed(t)
			c := l.dial(t, "?key=k")
			greeted(t, c)
			sent := 0
			for i := range first {
				send(t, c, websocket.MessageText, message(i))
				sent += len(message(i))
			}
			for n := int64(-1); n < first-1; {
				n = greeted(t, c)
			}
			cut(t, c, message(first)[:10])
			l.ended(t)
			if status, err := l.handler.opts.Keys.Status(t.Context(), "default", "k"); err != nil || status.Bytes != uint64(sent) {
				t.Errorf("status %+v, %v; want %d bytes", status, err, sent)
			}
			c = l.dial(t, fmt.Sprintf("?key=k&offset=%d", offset))
			greeted(t, c)
			for i := offset; i < all; i++ {
				send(t, c, websocket.MessageText, message(i))
			}
			for n := int64(first - 1); n < all-1; {
				n = greeted(t, c)
			}
			if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
				t.Error(err)
			}
			frames := l.memory.Frames(l.memory.Streams()[0])
			if len(frames) != all {
				t.Fatalf("%d frames", len(frames))
			}
			for i, f := range frames {
				if want := fmt.Sprintf("use [redacted:github-token#%d] ", i+1); !strings.Contains(string(f.Raw), want) {
					t.Errorf("frame %d is %q, want %q", i, f.Raw, want)
				}
			}
		})
	}
}

func TestKeyOfWhatHasEnded(t *testing.T) {
	l := listenKeyed(t)
	c := l.dial(t, "?key=k")
	sendLines(t, c, 0, 3)
	for n := int64(-1); n < 2; {
		n = greeted(t, c)
	}
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	var said struct {
		Ack   int64
		Ended bool
	}
	for end := time.Now().Add(bounded.Limit); !said.Ended && time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // polls the condition
		if status, err := l.handler.opts.Keys.Status(t.Context(), "default", "k"); err != nil || !status.Ended {
			continue // the handler is about to write it
		}
		c = l.dial(t, "?key=k")
		if _, text, err := c.Read(t.Context()); err != nil || json.Unmarshal(text, &said) != nil {
			t.Fatalf("the server said %q, %v", text, err)
		}
	}
	if said.Ack != 2 || !said.Ended {
		t.Fatalf("the server said %+v", said)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("closed with %v", err)
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	l := listenKeyed(t)
	old := l.dial(t, "?key=k")
	sendLines(t, old, 0, 5)
	for n := int64(-1); n < 4; {
		n = greeted(t, old)
	}
	refusal := func(c *websocket.Conn) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		said := ""
		for {
			_, text, err := c.Read(ctx)
			if err != nil {
				if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
					t.Errorf("closed with %v", err)
				}
				return said
			}
			said += string(text)
		}
	}
	c := l.dial(t, "?key=k")
	if said := refusal(old); !strings.Contains(said, "took over") {
		t.Errorf("the old connection heard %s", said)
	}
	for i := range 5 {
		send(t, c, websocket.MessageText, line(i+1))
	}
	if said := refusal(c); !strings.Contains(said, "differ") || !strings.Contains(said, `"durable":4`) {
		t.Errorf("other messages: %s", said)
	}
	for query, want := range map[string]string{
		"?key=k&offset=6": "409", "?key=k&session=x": "422", "?key=a%20b": "400", "?offset=1": "400", "?key=k&offset=-1": "400",
	} {
		_, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(l.URL, "http")+"/v1/ingest/ws"+query, nil)
		if err == nil || resp == nil || !strings.HasPrefix(resp.Status, want) {
			t.Errorf("%s: %v", query, errors.Join(err))
		}
	}
	if n := len(l.memory.Frames(l.memory.Streams()[0])); n != 5 || len(l.memory.Streams()) != 1 {
		t.Errorf("%d frames in %d streams", n, len(l.memory.Streams()))
	}
}

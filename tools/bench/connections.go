package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// connections is a set of WebSockets that send frames.
type connections struct{ clients []*client }

// client is one of the connections.
type client struct {
	conn    *websocket.Conn
	session string
	sent    int
	acked   int // frames confirmed
}

// dialling is the number of connections that are opened concurrently.
const dialling = 64

// openConnections opens n connections, with one session each. The caller closes them, even after an
// error.
func openConnections(ctx context.Context, server, name string, n int) (*connections, error) {
	c := &connections{clients: make([]*client, n)}
	for i := range c.clients {
		c.clients[i] = &client{session: fmt.Sprintf("%s-%d", name, i)}
	}
	address := "ws" + strings.TrimPrefix(server, "http") + "/v1/ingest/ws"
	return c, c.limited(dialling, func(t *client) (err error) {
		t.conn, _, err = websocket.Dial(ctx, address, nil)
		return err
	})
}

// each calls do for all clients concurrently.
func (c *connections) each(do func(*client) error) error { return c.limited(len(c.clients), do) }

// limited calls do for all clients, for at most n of them concurrently. It returns the first error;
// the others are usually the same.
func (c *connections) limited(n int, do func(*client) error) error {
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		slots = make(chan struct{}, n)
	)
	for _, t := range c.clients {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := do(t); err != nil {
				once.Do(func() { first = fmt.Errorf("stream %s: %w", t.session, err) })
			}
		})
	}
	wg.Wait()
	return first
}

// close closes all connections with the closing handshake.
func (c *connections) close() error {
	return c.limited(dialling, func(t *client) error {
		if t.conn == nil {
			return nil
		}
		err := t.conn.Close(websocket.StatusNormalClosure, "")
		if status := websocket.CloseStatus(err); status == websocket.StatusNormalClosure {
			return nil
		}
		return err
	})
}

// send sends frames.
func (t *client) send(ctx context.Context, frames ...string) error {
	for _, f := range frames {
		if err := t.conn.Write(ctx, websocket.MessageText, []byte(f)); err != nil {
			return err
		}
		t.sent++
	}
	return nil
}

// waitAcked reads acknowledgements until all sent frames are durable.
func (t *client) waitAcked(ctx context.Context) error {
	return t.read(ctx, func() int { return t.sent })
}

// read reads acknowledgements until wanted frames are durable.
func (t *client) read(ctx context.Context, wanted func() int) error {
	for t.acked < wanted() {
		_, data, err := t.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%d of %d frames were confirmed: %w", t.acked, wanted(), err)
		}
		var reply struct {
			Ack   int    `json:"ack"`
			Error string `json:"error"`
		}
		if err := json.Unmarshal(data, &reply); err != nil {
			return err
		}
		if reply.Error != "" {
			return errors.New(reply.Error)
		}
		t.acked = reply.Ack + 1
	}
	return nil
}

// sendPaced sends n frames at even intervals, and returns when all are confirmed. frame returns a frame of a session by its
// number, from 0.
func (t *client) sendPaced(ctx context.Context, n int, gap time.Duration, frame func(session string, n int) string) error {
	read := make(chan error, 1)
	go func() { read <- t.read(ctx, func() int { return n }) }()
	time.Sleep(rand.N(gap)) // so that connections do not all send at once
	tick := time.NewTicker(gap)
	defer tick.Stop()
	err := t.send(ctx, frame(t.session, 0))
	for i := 1; i < n && err == nil; i++ {
		<-tick.C
		err = t.send(ctx, frame(t.session, i))
	}
	if err != nil {
		_ = t.conn.CloseNow() // for the reader to end
		return errors.Join(err, <-read)
	}
	return <-read
}

func loomStart(session string) string {
	return fmt.Sprintf(`{"session_id":"%s","node_id":"run-think-0","event_id":1,"type":"run_start","run_id":"run-%s","message":"go on","agent":"react"}`, session, session)
}

func loomChunk(session string, event int) string {
	return fmt.Sprintf(`{"session_id":"%s","node_id":"run-think-0","event_id":%d,"type":"message_chunk","content":" token","id":"think"}`, session, event)
}

// messageFrames is the number of frames of one message in a paced stream. If one message spanned
// the whole stream, the work for each frame and the memory would grow with its length.
const messageFrames = 60

// pacedFrame returns frame n, from 0, of a paced stream: a run whose nodes answer one after
// another.
func pacedFrame(session string, n int) string {
	node := func(kind, rest string) string {
		return fmt.Sprintf(`{"session_id":"%s","node_id":"run-think-%d","event_id":%d,"type":"%s"%s,"id":"think"}`, session, n/messageFrames, n+1, kind, rest)
	}
	switch {
	case n == 0:
		return loomStart(session)
	case n%messageFrames == 0:
		return node("node_enter", "")
	case n%messageFrames == messageFrames-1:
		return node("node_exit", `,"result":"Ok"`)
	}
	return node("message_chunk", `,"content":" token"`)
}

// idleFrames returns the frames that a stream sends before it becomes idle.
func idleFrames(session string) []string {
	node := func(event int, kind, rest string) string {
		return fmt.Sprintf(`{"session_id":"%s","node_id":"run-think-0","event_id":%d,"type":"%s","id":"think"%s}`, session, event, kind, rest)
	}
	return []string{
		loomStart(session), node(2, "node_enter", ""), loomChunk(session, 3), loomChunk(session, 4), node(5, "node_exit", `,"result":"Ok"`),
	}
}

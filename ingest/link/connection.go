package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
)

const (
	dialTimeout = 5 * time.Second
	// sendTimeout is how long a server may take to accept one message.
	sendTimeout  = 30 * time.Second
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// RefusedError says that the server will not have this client: no block will be
// taken until somebody acts.
type RefusedError struct {
	Server string
	Status int // HTTP
	Reason string
}

func (e *RefusedError) Error() string {
	todo := "is it a tapedeck server that takes recordings (role ingest)?"
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		todo = "name a token with the scope ingest by --token or TAPEDECK_TOKEN"
	}
	return fmt.Sprintf("server %s refuses recordings (%s): %s", e.Server, e.Reason, todo)
}

// RefusesAll tells a spool that no block will be taken.
func (e *RefusedError) RefusesAll() bool { return true }

// connect makes a connection. The error is a *RefusedError where trying again is
// of no use.
func (c *Client) connect(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	header := http.Header{}
	if c.opts.Token != "" {
		header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	conn, resp, err := websocket.Dial(ctx, c.target, &websocket.DialOptions{
		HTTPHeader: header, Subprotocols: []string{Protocol}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		if resp != nil && resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests {
			return nil, &RefusedError{Server: c.opts.Server, Status: resp.StatusCode, Reason: reason(resp)}
		}
		return nil, fmt.Errorf("no tapedeck server answers at %s (%w)\nStart one with \"tapedeck up\", or name it with --server or TAPEDECK_SERVER",
			c.opts.Server, innermost(err))
	}
	if conn.Subprotocol() != Protocol {
		_ = conn.CloseNow() // it is of no use
		return nil, &RefusedError{Server: c.opts.Server, Status: http.StatusUpgradeRequired, Reason: "it does not speak " + Protocol}
	}
	conn.SetReadLimit(1 << 20)
	return conn, nil
}

func reason(resp *http.Response) string {
	if resp.Body == nil {
		return resp.Status
	}
	var p struct {
		Detail string `json:"detail"`
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err == nil && json.Unmarshal(text, &p) == nil && p.Detail != "" {
		return resp.Status + ", " + strings.TrimSuffix(p.Detail, ".")
	}
	return resp.Status
}

// innermost leaves out what libraries say around an error of the network.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// run keeps a connection and sends over it, until ctx ends or the server will
// not have the client any more.
func (c *Client) run(ctx context.Context, conn *websocket.Conn) {
	for ctx.Err() == nil {
		err := c.serve(ctx, conn)
		if ctx.Err() != nil {
			return
		}
		c.lost(err)
		c.opts.Log.Warn("the connection to the tapedeck server broke, trying to reconnect", "server", c.opts.Server, "error", err)
		if conn = c.reconnect(ctx); conn == nil {
			return
		}
		c.opts.Log.Info("the tapedeck server is back", "server", c.opts.Server)
	}
}

// lost notes that the connection is gone: everything is to be sent anew.
func (c *Client) lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down, c.trouble, c.sent = time.Now(), err, 0
	c.changed.Broadcast()
}

// reconnect tries until there is a connection; nil means that there will be none.
func (c *Client) reconnect(ctx context.Context) *websocket.Conn {
	for wait := firstBackoff; ; wait = min(2*wait, lastBackoff) {
		conn, err := c.connect(ctx)
		if err == nil {
			c.mu.Lock()
			c.down = time.Time{}
			c.changed.Broadcast()
			c.mu.Unlock()
			return conn
		}
		var refused *RefusedError
		if errors.As(err, &refused) {
			c.mu.Lock()
			c.refused = refused
			c.mu.Unlock()
			c.failAll(refused)
			return nil
		}
		c.mu.Lock()
		c.trouble = err
		away := c.away()
		c.mu.Unlock()
		if away {
			c.failAll(fmt.Errorf("server %s is away: %w", c.opts.Server, innermost(err)))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
	}
}

// serve sends what is pending and hears the answers, until the connection breaks.
func (c *Client) serve(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer conn.CloseNow()
	defer cancel(nil)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		cancel(c.hear(ctx, conn))
		c.mu.Lock() // a sender that waits is to see that the connection is gone
		defer c.mu.Unlock()
		c.changed.Broadcast()
	}()
	err := c.send(ctx, conn)
	if err == nil { // closed in good order
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	_ = conn.CloseNow()
	<-heard
	return err
}

// send writes pending parcels in order. It returns nil when the client is closed.
func (c *Client) send(ctx context.Context, conn *websocket.Conn) error {
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer stop()
	var message []byte
	for {
		c.mu.Lock()
		for c.sent == len(c.pending) && !c.closed && ctx.Err() == nil {
			c.changed.Wait()
		}
		if ctx.Err() != nil || c.sent == len(c.pending) {
			closed := c.closed
			c.mu.Unlock()
			if closed {
				return nil
			}
			return context.Cause(ctx)
		}
		parcel := c.pending[c.sent].parcel
		c.sent++
		c.mu.Unlock()
		message = appendParcel(message[:0], &parcel)
		if err := write(ctx, conn, message); err != nil {
			return err
		}
	}
}

func write(ctx context.Context, conn *websocket.Conn, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageBinary, message)
}

// hear reads answers. Messages of this connection are numbered from 1, as is
// what is pending at its beginning.
func (c *Client) hear(ctx context.Context, conn *websocket.Conn) error {
	var confirmed uint64
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		var a answer
		if err := json.Unmarshal(text, &a); err != nil {
			return fmt.Errorf("answer %q: %w", text, err)
		}
		items, err := c.confirm(confirmed, a.Confirmed)
		if err != nil {
			return err
		}
		refused := map[uint64]error{}
		for _, r := range a.Refused {
			refused[r.Message] = r.err(c.opts.Server)
		}
		for i, it := range items {
			it.done(refused[confirmed+uint64(i)+1])
		}
		confirmed = a.Confirmed
	}
}

// confirm takes the items from one number to another out of what is pending.
func (c *Client) confirm(from, to uint64) ([]item, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to < from || to-from > uint64(c.sent) {
		return nil, fmt.Errorf("the server confirms message %d, %d were sent since message %d", to, c.sent, from)
	}
	n := int(to - from)
	items := c.pending[:n:n]
	c.pending = c.pending[n:]
	c.sent -= n
	for i := range items {
		c.bytes -= int64(len(items[i].parcel.Data))
	}
	c.changed.Broadcast()
	return items, nil
}

func (r *refusal) err(server string) error {
	err := fmt.Errorf("server %s: %s", server, r.Reason)
	if r.Permanent {
		return ingest.Permanent(err)
	}
	return err
}

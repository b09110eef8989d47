package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/internal/origin"
	"tapedeck/internal/rootcause"
	"tapedeck/schema"
)

// connection is one connection of a tap.
type connection struct {
	*websocket.Conn
	listener *listener
	tap      *tap

	ends     sync.WaitGroup // goroutines besides the reader
	failure  error          // why recording ended before the connection did
	messages int            // number of frames that were received
}

// ending describes how a connection ended.
type ending struct {
	reason string // for the stream
	again  bool   // connecting again may succeed
	err    error  // set if frames could not be recorded
}

// errUntil ends a connection at the request of Options.Until.
var errUntil = errors.New("until")

// connect opens one connection, without reading from it.
func (t *tap) connect(ctx context.Context) (*connection, error) {
	c := &connection{tap: t, listener: &listener{framer: NewFramer(t.opts.FrameLimit, nil)}}
	client := http.Client{}
	if t.opts.Client != nil {
		client = *t.opts.Client
	}
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	client.Transport = clientSide{base, c.listener}
	if client.CheckRedirect == nil {
		client.CheckRedirect = origin.GuardRedirects(t.opts.Header)
	}
	conn, answer, err := websocket.Dial(ctx, t.opts.URL, &websocket.DialOptions{
		HTTPClient: &client, HTTPHeader: t.opts.Header, Subprotocols: t.opts.Subprotocols,
	})
	if err != nil {
		return nil, refused(t.opts.URL, answer, err)
	}
	conn.SetReadLimit(-1) // the framer bounds memory
	c.Conn = conn
	return c, nil
}

// run records the connection to its end.
func (c *connection) run(ctx context.Context) ending {
	// Ending the context would cut the connection; a normal close ends the reading as well.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c.ends.Go(func() {
		select {
		case <-ctx.Done():
			c.closeConn(websocket.StatusNormalClosure)
		case <-c.tap.reached:
			c.closeConn(websocket.StatusNormalClosure)
		case <-running.Done():
		}
	})
	c.listener.record = func(f *schema.Frame) error { return c.record(running, f) }
	c.listener.failed = func(err error) {
		c.failure = err
		c.ends.Go(func() { c.closeConn(websocket.StatusNormalClosure) })
	}
	var sendErr error
	c.ends.Go(func() {
		if sendErr = c.send(running); sendErr != nil {
			c.closeConn(websocket.StatusNormalClosure)
		}
	})
	err := c.drain(running)
	cut := c.listener.end()
	cancel()
	_ = c.CloseNow() // it may be closed already
	c.ends.Wait()
	return c.ended(ctx, sendErr, cut, err)
}

// drain reads messages until the connection ends, while the listener records them. The
// library answers pings.
func (c *connection) drain(ctx context.Context) error {
	for {
		_, message, err := c.Reader(ctx)
		if err == nil {
			_, err = io.Copy(io.Discard, message)
		}
		if err != nil {
			return err
		}
	}
}

// record records a frame that was received.
func (c *connection) record(ctx context.Context, f *schema.Frame) error {
	if err := c.tap.stream.Record(ctx, f); err != nil {
		return err
	}
	c.messages++
	if c.tap.isReached() {
		return errUntil
	}
	return nil
}

// send sends and records the messages of Options.Send.
func (c *connection) send(ctx context.Context) error {
	m := newMessage(c.tap.opts.FrameLimit)
	record := func(f *schema.Frame) error {
		f.Direction = schema.Send
		return c.tap.stream.Record(ctx, f)
	}
	for i, p := range c.tap.opts.Send {
		typ := websocket.MessageText
		if p.Binary {
			typ = websocket.MessageBinary
		}
		// Record first: the response may arrive before the write returns.
		m.beginRead(ingest.Now())
		m.begin(p.Binary)
		err := m.append(p.Data, record)
		if err == nil {
			err = m.end(true, record)
		}
		if err != nil {
			return recordError{err}
		}
		if err := c.Write(ctx, typ, p.Data); err != nil {
			return fmt.Errorf("send message %d of %d: %w", i+1, len(c.tap.opts.Send), rootcause.Of(err))
		}
	}
	return nil
}

// recordError reports a sent frame that could not be recorded.
type recordError struct{ error }

// ended returns how the connection ended, from the errors of its goroutines.
func (c *connection) ended(ctx context.Context, sendErr, cut, readErr error) ending {
	var unrecorded recordError
	code, reason, closed := c.listener.framer.Closed()
	switch {
	case errors.Is(c.failure, errUntil), c.failure == nil && c.tap.isReached():
		return ending{reason: "closed"}
	case c.failure != nil:
		return ending{reason: recordingFailed, err: c.failure}
	case errors.As(sendErr, &unrecorded) && ctx.Err() == nil:
		return ending{reason: recordingFailed, err: unrecorded.error}
	case ctx.Err() != nil:
		return ending{reason: "closed"}
	case closed:
		return ending{reason: EndReason(code, reason), again: reconnects(code)}
	case sendErr != nil && !errors.Is(sendErr, context.Canceled):
		return ending{reason: "error: " + sendErr.Error(), again: true}
	case cut != nil:
		return ending{reason: "error: the connection was cut: " + rootcause.Of(cut).Error(), again: true}
	default: // the server broke the protocol
		return ending{reason: "error: " + rootcause.Of(readErr).Error(), again: true}
	}
}

// recordingFailed is the end reason of a stream after a recording failure. If this end cannot be
// recorded either, the stream has no end.
const recordingFailed = "error: recording failed"

// closeConn closes the connection; the peer has a few seconds to confirm.
func (c *connection) closeConn(code websocket.StatusCode) {
	if c.Close(code, "") != nil {
		_ = c.CloseNow() // it may be closed already
	}
}

// discard closes a connection that is not used.
func (c *connection) discard() {
	c.listener.stop()
	c.closeConn(websocket.StatusInternalError)
}

package upload

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
)

// run keeps a connection and sends over it, until ctx ends, the client is
// closed, or the server will not have it any more.
func (c *Client) run(ctx context.Context, conn *connection) {
	for {
		if conn == nil {
			if conn = c.reconnect(ctx); conn == nil {
				return
			}
		}
		err := c.converse(ctx, conn)
		if c.over(ctx) {
			return
		}
		c.lost(err)
		c.opts.Log.Warn("the connection to the tapedeck server broke, trying to reconnect", "server", c.opts.Server, "reason", err)
		conn = nil
	}
}

func (c *Client) over(ctx context.Context) bool {
	select {
	case <-c.quit:
		return true
	default:
		return ctx.Err() != nil
	}
}

// reconnect tries until there is a connection; nil means that there will be
// none. Pauses grow until a server has confirmed something.
func (c *Client) reconnect(ctx context.Context) *connection {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-c.quit:
			cancel()
		case <-stop:
		}
	}()
	for backoff.Sleep(ctx, c.pause.Next()) {
		conn, err := c.connect(ctx)
		if err == nil {
			c.opts.Log.Info("connected to the tapedeck server again", "server", c.opts.Server)
			return conn
		}
		if ingest.IsPermanent(err) {
			c.refuse(err)
			return nil
		}
		if ctx.Err() == nil {
			c.lost(err)
		}
	}
	return nil
}

// refuse gives everything up for good.
func (c *Client) refuse(err error) {
	c.mu.Lock()
	c.refused, c.trouble = err, err
	c.mu.Unlock()
	c.opts.Log.Error("the tapedeck server takes nothing more", "server", c.opts.Server, "reason", err)
	c.failAll(err)
}

// lost notes that there is no connection.
func (c *Client) lost(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trouble = err
	if c.up {
		c.up, c.down = false, time.Now()
	}
	if c.opts.Grace > 0 && c.grace == nil && !c.closed {
		c.grace = time.AfterFunc(time.Until(c.down.Add(c.opts.Grace)), c.graceEnds)
	}
}

func (c *Client) graceEnds() {
	c.mu.Lock()
	if c.up {
		c.mu.Unlock()
		return
	}
	c.away = true
	err := c.awayError()
	c.mu.Unlock()
	c.failAll(err)
}

// failAll gives up everything that is on its way.
func (c *Client) failAll(err error) {
	c.mu.Lock()
	items := c.queue.clear()
	c.stir()
	c.mu.Unlock()
	for _, it := range items {
		it.done(err)
	}
}

// found begins with a new connection: all that is not settled is sent on it.
func (c *Client) found(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up, c.away, c.moved = true, false, time.Now()
	if c.grace != nil {
		c.grace.Stop()
		c.grace = nil
	}
	c.queue.restart()
	c.stir()
}

// converse sends what is in the queue and hears the answers, until the
// connection breaks or the client is closed.
func (c *Client) converse(ctx context.Context, conn *connection) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer conn.CloseNow()
	c.found(conn)
	var others sync.WaitGroup
	others.Go(func() { cancel(c.hear(ctx, conn)) })
	if c.opts.Grace > 0 {
		others.Go(func() { c.watch(ctx, cancel) })
	}
	err := c.send(ctx, conn)
	if err == nil { // closed, with nothing left to send
		_ = conn.Close(websocket.StatusNormalClosure, "") // the server heard it or not, it is over
		err = ErrClosed
	}
	cancel(err)
	others.Wait()
	return context.Cause(ctx)
}

// send writes parcels in order. It returns nil once the client is closed.
func (c *Client) send(ctx context.Context, conn *connection) error {
	var message []byte
	for {
		c.mu.Lock()
		it := c.queue.next()
		var tooLarge error
		if it != nil {
			tooLarge = conn.peer.tooLarge(c.opts.Server, &it.parcel)
		}
		if tooLarge != nil {
			c.queue.drop(it)
			c.stir()
		}
		c.mu.Unlock()
		switch {
		case tooLarge != nil:
			it.done(tooLarge)
		case it != nil:
			message = appendMessage(message[:0], &it.parcel)
			if err := conn.send(ctx, message); err != nil {
				return err
			}
			if cap(message) > 8<<20 {
				message = nil
			}
		default:
			select {
			case <-c.work:
			case <-c.quit:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// hear deals with the server's answers.
func (c *Client) hear(ctx context.Context, conn *connection) error {
	for {
		a, err := conn.hear(ctx)
		if err != nil {
			return explain(err)
		}
		switch {
		case a.Ack != nil:
			err = c.acked(*a.Ack)
		case a.Refused != nil:
			err = c.refusedOne(a.Refused)
		}
		if err != nil {
			return err
		}
	}
}

// explain puts the end of a connection in words.
func explain(err error) error {
	if closed, ok := errors.AsType[websocket.CloseError](err); ok {
		return fmt.Errorf("the server closed the connection: %s (%d)", closed.Reason, closed.Code)
	}
	return err
}

func (c *Client) acked(number uint64) error {
	c.mu.Lock()
	items, err := c.queue.ack(number)
	if err == nil {
		c.moved = time.Now()
		c.stir()
	}
	c.mu.Unlock()
	c.pause.Reset()
	for _, it := range items {
		it.done(nil)
	}
	return err
}

func (c *Client) refusedOne(r *refusal) error {
	if !r.Permanent {
		return fmt.Errorf("the server could not take a block: %s", r.Reason)
	}
	c.mu.Lock()
	it, err := c.queue.refuse(r.Number)
	c.stir()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if r.Deleted {
		it.done(ingest.Permanent(&ingest.DeletedError{Reason: r.Reason}))
		return nil
	}
	it.done(ingest.Permanent(fmt.Errorf("the tapedeck server %s refuses the block: %s", c.opts.Server, r.Reason)))
	return nil
}

// watch gives up on a server that is there and confirms nothing.
func (c *Client) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(max(c.opts.Stall/8, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.mu.Lock()
		stalled := !c.queue.empty() && time.Since(c.moved) > c.opts.Stall
		c.mu.Unlock()
		if stalled {
			err := fmt.Errorf("the tapedeck server %s has confirmed nothing for %v", c.opts.Server, c.opts.Stall)
			cancel(err)
			c.failAll(err)
			return
		}
	}
}

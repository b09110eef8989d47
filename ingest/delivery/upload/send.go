package upload

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
)

// mostRequests bounds the requests that were answered and whose blocks are not settled.
const mostRequests = 8

// run sends blocks until ctx ends or the server refuses this client. Pauses grow until the server
// has settled a block.
func (c *Client) run(ctx context.Context) {
	for {
		err := c.converse(ctx)
		c.sendAgain()
		if ctx.Err() != nil {
			return
		}
		if c.State().Connected {
			c.opts.Log.Warn("upload: blocks were not taken by the tapedeck server, trying again", "server", c.opts.Server, "error", err)
		}
		if ingest.IsPermanent(err) {
			c.refuse(err)
			return
		}
		var pause time.Duration
		if busy, ok := errors.AsType[*busyError](err); ok {
			c.mu.Lock()
			c.trouble, pause = err, busy.retryAfter
			c.mu.Unlock()
		} else {
			c.lost(err)
			pause = c.pause.Next()
		}
		if !backoff.Sleep(ctx, pause) {
			return
		}
	}
}

// refuse fails all blocks, including later ones.
func (c *Client) refuse(err error) {
	c.mu.Lock()
	c.refused, c.trouble = err, err
	c.mu.Unlock()
	c.opts.Log.Error("upload: the tapedeck server takes nothing more", "server", c.opts.Server, "error", err)
	c.failAll(err)
}

// lost records that the server does not answer.
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

// found records that the server answers.
func (c *Client) found(a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.peer = answer{Tenant: a.Tenant, MaxBlock: a.MaxBlock, AliveMS: a.AliveMS}
	if c.up {
		return
	}
	if c.trouble != nil {
		c.opts.Log.Info("upload: connected to the tapedeck server again", "server", c.opts.Server)
	}
	c.up, c.away, c.moved = true, false, time.Now()
	if c.grace != nil {
		c.grace.Stop()
		c.grace = nil
	}
	c.notify()
}

// sendAgain puts blocks that were sent and not settled before the waiting ones. No request is in
// progress.
func (c *Client) sendAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.sent.Clear(), c.waiting...)
}

// converse sends the waiting blocks, one request after another, until a request fails. The first
// request to a server that did not answer has no blocks. When converse returns, no request is in
// progress.
func (c *Client) converse(ctx context.Context) error {
	ctx, abort := context.WithCancelCause(ctx)
	sending, stop := context.WithCancelCause(ctx) // requests that were sent continue after stop
	var others sync.WaitGroup
	if c.opts.Grace > 0 {
		others.Go(func() { c.watch(sending, abort) })
	}
	unsettled := make(chan struct{}, mostRequests)
	for sending.Err() == nil {
		batch, err := c.next(sending)
		if err != nil {
			break
		}
		started := time.Now()
		resp, done, err := c.post(ctx, batch)
		if err != nil {
			c.batch.failed()
			stop(err)
			break
		}
		c.batch.answered(batch, resp.StatusCode, time.Since(started))
		unsettled <- struct{}{}
		finish := func() {
			defer done()
			settled, err := c.outcome(resp, batch)
			for _, it := range settled {
				it.done(it.err)
			}
			if err != nil {
				stop(err)
			}
			<-unsettled
		}
		if resp.StatusCode != http.StatusOK || len(batch) == 0 {
			finish()
			continue
		}
		others.Go(finish)
	}
	stop(nil) // has no effect if there is a cause
	others.Wait()
	abort(nil)
	return context.Cause(sending)
}

// next waits for blocks to send and takes them. It returns none when it is time to send an empty
// request.
func (c *Client) next(ctx context.Context) ([]*item, error) {
	c.mu.Lock()
	up, alive := c.up, time.NewTimer(time.Duration(max(c.peer.AliveMS, 1))*time.Millisecond)
	c.mu.Unlock()
	if !up {
		return nil, nil
	}
	defer alive.Stop()
	for {
		if batch := c.take(); len(batch) > 0 {
			return batch, nil
		}
		select {
		case <-c.wake:
		case <-alive.C:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take takes as many blocks as fit into a request.
func (c *Client) take() []*item {
	c.mu.Lock()
	defer c.mu.Unlock()
	size, n := 0, 0
	for n < len(c.waiting) && n < batchBlocks && (n == 0 || size+len(c.waiting[n].block.Data) <= c.batch.bytes) {
		size += len(c.waiting[n].block.Data)
		n++
	}
	batch := c.waiting[:n:n]
	if c.waiting = c.waiting[n:]; len(c.waiting) == 0 {
		c.waiting = nil
	}
	for _, it := range batch {
		it.number = c.sent.Add(it)
	}
	return batch
}

const (
	batchBlocks   = 1024
	smallestBatch = 64 << 10
	largestBatch  = 4 << 20
	// slowRequest is the duration of a request above which the following ones are smaller, so that
	// blocks are settled regularly on a slow connection.
	slowRequest = time.Second
)

// batchLimit bounds the bytes of the blocks of a request.
type batchLimit struct{ bytes, most int }

func newBatchLimit() batchLimit { return batchLimit{bytes: 256 << 10, most: largestBatch} }

// answered adapts the limit to a request that was answered.
func (l *batchLimit) answered(batch []*item, status int, took time.Duration) {
	switch {
	case status == http.StatusRequestEntityTooLarge && len(batch) > 1: // a proxy accepts less
		l.most = max(l.bytes/2, 1)
		l.bytes = l.most
	case took > slowRequest:
		l.bytes = max(l.bytes/2, min(smallestBatch, l.most))
	case took < slowRequest/4 && len(batch) > 1:
		l.bytes = min(2*l.bytes, l.most)
	}
}

// failed adapts the limit to a request that was not answered, since a connection that breaks often
// transfers only small requests.
func (l *batchLimit) failed() { l.bytes = max(l.bytes/2, 1) }

// watch fails all blocks if the server answers and settles none.
func (c *Client) watch(ctx context.Context, abort context.CancelCauseFunc) {
	tick := time.NewTicker(max(c.opts.Stall/8, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.mu.Lock()
		stalled := c.up && c.count() > 0 && time.Since(c.moved) > c.opts.Stall
		c.mu.Unlock()
		if stalled {
			err := fmt.Errorf("the tapedeck server %s has confirmed nothing for %v", c.opts.Server, c.opts.Stall)
			abort(err)
			c.failAll(err)
			return
		}
	}
}

package upload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
	"tapedeck/internal/inflight"
)

// Options configure the server that a client sends to. The zero value of a field means its default.
type Options struct {
	Server string // URL, http or https
	Token  string
	// Recorder is the id of the recorder that the blocks come from: the server includes it in its
	// heartbeats while the client sends. It may be empty.
	Recorder string
	// Window and Blocks bound the blocks that were accepted and are not settled.
	Window int64 // bytes; default 32 MiB
	Blocks int   // default 4096
	// Grace is how long the server may be unavailable before blocks fail, so that a spool can store
	// them; default 2 s. With a negative Grace blocks never fail: Publish waits, and the client
	// keeps trying.
	Grace time.Duration
	// Stall is how long a server that answers may confirm nothing before blocks fail; default 15 s.
	// It has no effect with a negative Grace.
	Stall time.Duration
	// Timeout bounds how long the server may take to answer a request after the request was sent;
	// default 20 s.
	Timeout time.Duration
	// Offline lets Dial succeed even if the server does not answer.
	Offline bool
	// Tenant is the tenant of the blocks, for a token of all tenants; "" for the token's own
	// tenant.
	Tenant string
	TLS    *tls.Config // for https; may be nil
	Log    *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Window == 0 {
		o.Window = 32 << 20
	}
	if o.Blocks == 0 {
		o.Blocks = 4096
	}
	if o.Grace == 0 {
		o.Grace = 2 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = 15 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Client sends blocks to a server. It is an ingest.Publisher.
type Client struct {
	opts   Options
	target string
	http   *http.Client
	pause  backoff.Backoff // Next is called by the client's goroutine while no request is in progress, Reset under mu
	batch  batchLimit      // used by the client's goroutine
	wake   chan struct{}   // notifies that a block waits
	cancel context.CancelFunc
	gone   chan struct{} // closed when the client's goroutine has ended
	ahead  atomic.Int64  // by how much the server's clock is ahead of this machine's, nanoseconds

	mu      sync.Mutex // guards all below
	waiting []*item    // blocks to be sent, in order
	sent    inflight.Tracker[*item]
	bytes   int64         // size of waiting and sent
	changed chan struct{} // closed and replaced when waiting callers should check again
	peer    answer        // the server's last answer, without the outcomes of blocks
	up      bool          // the last request was answered
	down    time.Time     // since when no request was answered
	away    bool          // the server has not answered for longer than Grace
	grace   *time.Timer   // sets away
	trouble error         // why the last request failed
	refused error         // the server accepts nothing from this client; permanent
	moved   time.Time     // when the server last settled a block, or could have begun to
	closed  bool
}

// item is a block that was accepted and is not settled.
type item struct {
	block  ingest.EncodedBlock
	done   func(error)
	number uint64 // in Client.sent
	err    error  // the outcome, once the block is settled: nil if it is durable
}

// ErrClosed is returned after Close was called.
var ErrClosed = errors.New("upload is closed")

// Dial makes a request without blocks. If the server accepts nothing from this client, the error is
// a RefusedError. If the server becomes unavailable later, the client tries again.
func Dial(ctx context.Context, opts Options) (*Client, error) {
	opts.setDefaults()
	target, err := targetOf(opts.Server)
	if err != nil {
		return nil, err
	}
	c := &Client{
		opts: opts, target: target, http: newHTTPClient(&opts),
		pause: backoff.Backoff{Min: 100 * time.Millisecond, Max: 5 * time.Second}, batch: newBatchLimit(),
		wake: make(chan struct{}, 1), gone: make(chan struct{}), changed: make(chan struct{}), down: time.Now(),
	}
	err = c.hello(ctx)
	if err != nil && (!opts.Offline || ingest.IsPermanent(err)) {
		c.http.CloseIdleConnections()
		return nil, err
	}
	if err != nil {
		c.lost(err)
	}
	life, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() {
		defer close(c.gone)
		c.run(life)
	}()
	return c, nil
}

// Tenant returns the tenant that the token belongs to, as the server reports it; "" if the token
// may name any tenant, or the server was not reached yet.
func (c *Client) Tenant() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer.Tenant
}

// ServerAhead returns by how much the server's clock is ahead of this machine's clock; 0 if the
// server was not reached yet.
func (c *Client) ServerAhead() time.Duration { return time.Duration(c.ahead.Load()) }

// count returns the number of blocks that are not settled. mu is held.
func (c *Client) count() int { return len(c.waiting) + c.sent.Len() }

// Publish implements ingest.Publisher. It waits while the window is full. If the server is
// unavailable for longer than Grace, Publish fails at once.
func (c *Client) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	if names := len(b.ID) + len(b.Tenant) + len(b.Session); names > maxNames/2 {
		return ingest.Permanent(fmt.Errorf("names of %d bytes go with a block, the limit is %d", names, maxNames/2))
	}
	for {
		c.mu.Lock()
		err := c.unfit(&b)
		fits := c.count() == 0 || c.count() < c.opts.Blocks && c.bytes+int64(len(b.Data)) <= c.opts.Window
		if err == nil && fits {
			if c.count() == 0 {
				c.moved = time.Now()
			}
			c.waiting = append(c.waiting, &item{block: b, done: done})
			c.bytes += int64(len(b.Data))
		}
		changed := c.changed
		c.mu.Unlock()
		if err != nil {
			return err
		}
		if fits {
			select {
			case c.wake <- struct{}{}:
			default:
			}
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the tapedeck server %s does not confirm the %d blocks that are in flight: %w",
				c.opts.Server, c.State().Blocks, context.Cause(ctx))
		}
	}
}

// unfit returns why a block cannot be accepted now. mu is held.
func (c *Client) unfit(b *ingest.EncodedBlock) error {
	switch {
	case c.closed:
		return ErrClosed
	case c.refused != nil:
		return c.refused
	case c.away:
		return c.awayError()
	case c.peer.MaxBlock > 0 && int64(len(b.Data)) > c.peer.MaxBlock:
		return ingest.Permanent(fmt.Errorf("block of %d bytes is over the %d that the tapedeck server %s takes: lower --frame-limit",
			len(b.Data), c.peer.MaxBlock, c.opts.Server))
	}
	return nil
}

// settle removes blocks that were sent. It returns them without those that were settled before.
func (c *Client) settle(items []*item) (settled []*item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range items {
		if _, ok := c.sent.Settle(it.number); ok {
			c.bytes -= int64(len(it.block.Data))
			c.moved = time.Now()
			settled = append(settled, it)
		}
	}
	c.notify()
	return settled
}

// failAll fails all blocks that are not settled.
func (c *Client) failAll(err error) (failed int) {
	c.mu.Lock()
	items := append(c.sent.Clear(), c.waiting...)
	c.waiting, c.bytes = nil, 0
	c.notify()
	c.mu.Unlock()
	for _, it := range items {
		it.done(err)
	}
	return len(items)
}

// Close accepts no more blocks, waits until the accepted ones are settled or ctx ends, and closes
// the connections. Blocks that are not settled by then fail with ErrClosed, and so does Close.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.closed = true
	c.notify()
	c.mu.Unlock()
	c.waitSettled(ctx)
	c.cancel()
	<-c.gone
	c.mu.Lock()
	if c.grace != nil {
		c.grace.Stop()
	}
	c.mu.Unlock()
	c.http.CloseIdleConnections()
	if left := c.failAll(ErrClosed); left > 0 {
		return fmt.Errorf("%w before %d blocks were confirmed by %s", ErrClosed, left, c.opts.Server)
	}
	return nil
}

func (c *Client) waitSettled(ctx context.Context) {
	for {
		c.mu.Lock()
		count, changed := c.count(), c.changed
		c.mu.Unlock()
		if count == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// notify makes all waiting callers check again. mu is held.
func (c *Client) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

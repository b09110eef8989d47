package upload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/backoff"
)

// Options say which server a client sends to. The zero value of a field stands
// for its default.
type Options struct {
	Server string // URL, http or https
	Token  string
	// Recorder is the id of the recorder whose blocks these are: the server includes
	// it in its heartbeats while the client is connected. It may be empty.
	Recorder string
	// What is on its way at most: sent, or waiting to be.
	Window  int64 // bytes; default 32 MiB
	Parcels int   // default 4096
	// Grace is how long the server may be away before blocks fail, so that a
	// spool can take them; default 2 s. With a negative Grace they never fail:
	// Publish waits, and the client keeps trying.
	Grace time.Duration
	// Stall is the same for a server that is there and confirms nothing;
	// default 15 s. It does not count with a negative Grace.
	Stall time.Duration
	// Offline lets Dial succeed also if the server does not answer.
	Offline bool
	TLS     *tls.Config // of https; may be nil
	Log     *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Window == 0 {
		o.Window = 32 << 20
	}
	if o.Parcels == 0 {
		o.Parcels = 4096
	}
	if o.Grace == 0 {
		o.Grace = 2 * time.Second
	}
	if o.Stall == 0 {
		o.Stall = 15 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Client sends blocks to a server. It is an ingest.Publisher.
type Client struct {
	opts   Options
	target string // ws or wss
	pause  backoff.Backoff
	work   chan struct{} // tells the sender that something is to be sent
	quit   chan struct{} // closed when nothing more is to be sent
	cancel context.CancelFunc
	gone   chan struct{} // closed when the client's goroutine has ended

	mu      sync.Mutex // guards all below
	queue   queue
	changed chan struct{} // closed and replaced when somebody who waits should look again
	peer    hello         // what the server said last
	up      bool          // there is a connection
	down    time.Time     // since when there is none
	away    bool          // for longer than Grace
	grace   *time.Timer   // sets away
	trouble error         // why the last connection or attempt failed
	refused error         // the server will not have this client: it stands
	moved   time.Time     // when the server last confirmed something, or could have begun to
	closed  bool
}

// ErrClosed is returned once Close was called.
var ErrClosed = errors.New("link is closed")

// Dial connects to a server. If the server will not have the client the error
// is a RefusedError. A connection that breaks later is made anew.
func Dial(ctx context.Context, opts Options) (*Client, error) {
	opts.setDefaults()
	target, err := targetOf(opts.Server)
	if err != nil {
		return nil, err
	}
	c := &Client{
		opts: opts, target: target, pause: backoff.Backoff{Min: 100 * time.Millisecond, Max: 5 * time.Second},
		work: make(chan struct{}, 1), quit: make(chan struct{}), gone: make(chan struct{}),
		changed: make(chan struct{}), down: time.Now(),
	}
	conn, err := c.connect(ctx)
	if err != nil && (!opts.Offline || ingest.IsPermanent(err)) {
		return nil, err
	}
	if err != nil {
		c.lost(err)
	}
	life, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() {
		defer close(c.gone)
		c.run(life, conn)
	}()
	return c, nil
}

// Tenant is whose the token is, as the server said; "" if it may name any
// tenant, or the server was not reached so far.
func (c *Client) Tenant() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer.Tenant
}

// Publish implements ingest.Publisher. It waits while the window is full. While
// the server is away for longer than the grace it fails at once.
func (c *Client) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	if len(p.ID)+len(p.Tenant)+len(p.Session) > maxNames/2 {
		return ingest.Permanent(fmt.Errorf("names of %d bytes go with a block, at most %d may",
			len(p.ID)+len(p.Tenant)+len(p.Session), maxNames/2))
	}
	for {
		c.mu.Lock()
		err := c.unfit(&p)
		taken := err == nil && c.queue.fits(&p, c.opts.Window, c.opts.Parcels)
		if taken {
			if c.queue.empty() {
				c.moved = time.Now()
			}
			c.queue.push(&item{parcel: p, done: done})
		}
		changed := c.changed
		c.mu.Unlock()
		if taken {
			signal(c.work)
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the tapedeck server %s does not confirm the %d blocks that are on their way: %w",
				c.opts.Server, c.State().Parcels, context.Cause(ctx))
		}
	}
}

// unfit says why a parcel cannot be taken now. It needs mu.
func (c *Client) unfit(p *ingest.EncodedBlock) error {
	switch {
	case c.closed:
		return ErrClosed
	case c.refused != nil:
		return c.refused
	case c.away:
		return c.awayError()
	}
	return c.peer.tooLarge(c.opts.Server, p)
}

// tooLarge says that a server does not take blocks of that size; nil if it does.
func (h *hello) tooLarge(server string, p *ingest.EncodedBlock) error {
	if h.MaxBlock == 0 || int64(len(p.Data)) <= h.MaxBlock {
		return nil
	}
	return ingest.Permanent(fmt.Errorf("block of %d bytes is over the %d that the tapedeck server %s takes: lower the frame limit",
		len(p.Data), h.MaxBlock, server))
}

// Close takes no more blocks, waits until those on their way are settled or
// ctx ends, and closes the connection. Blocks that are not settled by then fail
// with ErrClosed, and so does Close.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.closed = true
	c.stir()
	c.mu.Unlock()
	defer c.cancel()
	c.settled(ctx)
	close(c.quit)
	c.mu.Lock()
	if c.grace != nil {
		c.grace.Stop()
	}
	left := c.queue.clear()
	c.mu.Unlock()
	if len(left) > 0 {
		c.cancel()
	}
	select {
	case <-c.gone:
	case <-ctx.Done():
		c.cancel()
		<-c.gone
	}
	for _, it := range left {
		it.done(ErrClosed)
	}
	if len(left) > 0 {
		return fmt.Errorf("%w before %d blocks were confirmed by %s", ErrClosed, len(left), c.opts.Server)
	}
	return nil
}

// settled waits until nothing is on its way, or ctx ends.
func (c *Client) settled(ctx context.Context) {
	for {
		c.mu.Lock()
		empty, changed := c.queue.empty(), c.changed
		c.mu.Unlock()
		if empty {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// stir has everybody who waits look again. It needs mu.
func (c *Client) stir() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

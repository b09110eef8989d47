package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"tapedeck/ingest"
)

// Options say which server a client sends to. The zero value of a field stands
// for its default.
type Options struct {
	Server string // URL: http or https
	Token  string
	// Window bounds what is on its way, bytes; default 32 MiB.
	Window int64
	// Grace is how long a broken connection holds blocks back before they fail,
	// so that a spool can take them; default 2 s. Negative: they never fail, and
	// Publish waits.
	Grace time.Duration
	Log   *slog.Logger
}

// Client sends blocks to a server. It is an ingest.Publisher.
type Client struct {
	opts   Options
	target string // ws or wss
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex // guards all below
	changed sync.Cond  // on mu: any change that somebody may wait for
	pending []item     // in order, those sent first
	sent    int        // of pending, on the present connection
	bytes   int64      // of pending
	down    time.Time  // since when there is no connection; zero while there is
	trouble error      // why
	refused error      // the server will not have this client: it stands
	closed  bool
}

type item struct {
	parcel ingest.Parcel
	done   func(error)
}

// ErrClosed is returned once Close was called.
var ErrClosed = errors.New("link is closed")

// Dial connects to a server. It fails if the server does not answer, or will
// not have the client; a connection that breaks later is made anew.
func Dial(ctx context.Context, opts Options) (*Client, error) {
	if opts.Window == 0 {
		opts.Window = 32 << 20
	}
	if opts.Grace == 0 {
		opts.Grace = 2 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	u, err := url.Parse(strings.TrimSuffix(opts.Server, "/") + Path)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("server %q: it must be a URL like http://127.0.0.1:4600", opts.Server)
	}
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	c := &Client{opts: opts, target: u.String(), done: make(chan struct{})}
	c.changed.L = &c.mu
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() {
		defer close(c.done)
		c.run(life, conn)
	}()
	return c, nil
}

// Publish implements ingest.Publisher. It waits while the window is full, and
// fails at once while the server is away for longer than the grace.
func (c *Client) Publish(ctx context.Context, p ingest.Parcel, done func(error)) error {
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed:
			return ErrClosed
		case c.refused != nil:
			return c.refused
		case c.away():
			return c.awayError()
		case ctx.Err() != nil:
			return fmt.Errorf("server %s does not confirm what was sent: %w", c.opts.Server, context.Cause(ctx))
		}
		if len(c.pending) == 0 || c.bytes+int64(len(p.Data)) <= c.opts.Window {
			break
		}
		c.changed.Wait()
	}
	c.pending = append(c.pending, item{p, done})
	c.bytes += int64(len(p.Data))
	c.changed.Broadcast()
	return nil
}

// away reports whether the server is away for longer than the grace.
func (c *Client) away() bool {
	return c.opts.Grace >= 0 && !c.down.IsZero() && time.Since(c.down) >= c.opts.Grace
}

func (c *Client) awayError() error {
	return fmt.Errorf("server %s is away since %s: %w", c.opts.Server, c.down.Format(time.TimeOnly), c.trouble)
}

// failAll gives up everything that is on its way.
func (c *Client) failAll(err error) {
	c.mu.Lock()
	items := c.pending
	c.pending, c.sent, c.bytes = nil, 0, 0
	c.changed.Broadcast()
	c.mu.Unlock()
	for _, it := range items {
		it.done(err)
	}
}

// Close ends the connection, after a wait for what is on its way for as long
// as ctx stands. What is not confirmed by then fails with ErrClosed.
func (c *Client) Close(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer stop()
	c.mu.Lock()
	for len(c.pending) > 0 && ctx.Err() == nil && c.refused == nil && !c.away() {
		c.changed.Wait()
	}
	c.closed = true
	left := len(c.pending)
	c.changed.Broadcast()
	c.mu.Unlock()
	c.cancel()
	<-c.done
	c.failAll(ErrClosed)
	if left > 0 {
		return fmt.Errorf("%d blocks were not confirmed by %s", left, c.opts.Server)
	}
	return nil
}

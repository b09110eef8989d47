// Package clickhouse gives tapes from ClickHouse.
//
// A tape is read by primary key, page by page, so that playing slowly holds no
// query open on the server, and a page of every stream is read ahead. Rows may
// repeat where parts have not been merged: repeats are dropped by their key
// while reading, which needs no FINAL.
package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/schema"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// Options of a store. Zero values stand for the defaults.
type Options struct {
	// Connections bounds the connections of all readers together; 16.
	Connections int
	// PageBytes is about how many bytes of frames one reader holds, over all of
	// its streams; 16 MiB.
	PageBytes int
	// QueryTimeout bounds reading one page; 30 s.
	QueryTimeout time.Duration
}

// Store gives tapes from one ClickHouse. It is a replay.Library.
type Store struct {
	dsn   string
	opts  Options
	slots chan struct{} // one for each connection in use
	idle  chan *ch.Client
	// Pages that are not in use, for all readers: few of them read at the same time.
	// There is room for as many small ones as there are slots; large ones are left to
	// the collector.
	small chan *page
	large sync.Pool // of *page
	packs sync.Pool // of *packer
}

// Open makes a store. Nothing is dialled before the first tape is asked for.
// The DSN is that of tapedeck/schema/clickhouse.
func Open(dsn string, opts Options) *Store {
	opts.Connections = cmp.Or(opts.Connections, 16)
	opts.PageBytes = cmp.Or(opts.PageBytes, 16<<20)
	opts.QueryTimeout = cmp.Or(opts.QueryTimeout, 30*time.Second)
	return &Store{
		dsn: dsn, opts: opts,
		slots: make(chan struct{}, opts.Connections),
		idle:  make(chan *ch.Client, opts.Connections),
		small: make(chan *page, opts.Connections),
	}
}

// Close closes the idle connections. Readers are closed before.
func (s *Store) Close() error {
	var errs []error
	for {
		select {
		case c := <-s.idle:
			errs = append(errs, c.Close())
		default:
			return errors.Join(errs...)
		}
	}
}

// newPage returns a page to read into.
func (s *Store) newPage() *page {
	select {
	case p := <-s.small:
		return p
	default:
	}
	if p, ok := s.large.Get().(*page); ok {
		return p
	}
	return &page{}
}

// smallPage is what a page of pageRows frames comes to, bytes.
const smallPage = 4 << 20

// recycle takes a page back. Nothing that came out of it is valid any more.
func (s *Store) recycle(p *page) {
	size := p.size()
	if size <= smallPage {
		select {
		case s.small <- p:
			return
		default:
		}
	}
	if size <= s.opts.PageBytes {
		s.large.Put(p)
	}
}

// pack packs the frames of a page, which are of these streams.
func (s *Store) pack(p *page, streams []*schema.StreamState) *packed {
	k, ok := s.packs.Get().(*packer)
	if !ok {
		k = &packer{}
	}
	defer s.packs.Put(k)
	return k.pack(p.frames, streams)
}

// enter waits for a slot, which leave gives back.
func (s *Store) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Store) leave() { <-s.slots }

// do runs a query that only reads, in a slot that is the caller's. On a connection
// that has gone stale it is run once more on a new one: restart then forgets what
// was read so far.
func (s *Store) do(ctx context.Context, q ch.Query, restart func()) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.QueryTimeout,
		fmt.Errorf("ClickHouse did not answer within %s", s.opts.QueryTimeout))
	defer cancel()
	select {
	case c := <-s.idle:
		err := s.on(ctx, c, q)
		if err == nil || ch.IsException(err) || errors.Is(err, errEnough) || ctx.Err() != nil {
			return err
		}
		restart()
	default:
	}
	c, err := schemaclickhouse.Dial(ctx, s.dsn)
	if err != nil {
		return err
	}
	return s.on(ctx, c, q)
}

// on runs a query on a connection and keeps the connection if it still serves.
func (s *Store) on(ctx context.Context, c *ch.Client, q ch.Query) error {
	// Do itself notices the end of ctx with the server's next packet or after three
	// seconds; where the query was not sent any more there is no packet.
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	err := c.Do(ctx, q)
	stop()
	if err != nil && !ch.IsException(err) || c.IsClosed() {
		// Do closes it when it is cancelled; what closing says adds nothing to err.
		_ = c.Close()
	} else {
		s.idle <- c // has room for every slot
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

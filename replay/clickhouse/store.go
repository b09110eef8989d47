// Package clickhouse reads tapes from ClickHouse.
//
// A tape is read by primary key, page by page, so that slow playback holds no query open on the
// server. One page of every stream is read ahead. Rows may be repeated until parts are merged: the
// reader drops duplicates by key instead of using FINAL.
package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go"

	"tapedeck/schema"
	schemaclickhouse "tapedeck/schema/clickhouse"
	"tapedeck/schema/sessioncache"
)

// Options configures a store. Zero values select the defaults.
type Options struct {
	// Connections bounds the connections of all readers together; default 16.
	Connections int
	// PageBytes is the approximate size of the frames that one reader holds, over all of its
	// streams; default 16 MiB.
	PageBytes int
	// Cache keeps the streams and the first frames of sessions for all readers; nil keeps nothing.
	Cache *sessioncache.Cache
	// QueryTimeout bounds the time to read one page; default 30 s.
	QueryTimeout time.Duration
}

// Store reads tapes from one ClickHouse. It is a replay.Library.
type Store struct {
	dsn   string
	opts  Options
	slots chan struct{} // one for each connection in use
	idle  chan *ch.Client
	// Free pages for all readers. small holds at most one page per slot; the garbage collector may
	// free pages in large.
	small chan *page
	large sync.Pool // of *page
	packs sync.Pool // of *packer
	// windows are pages for the frames of leads.
	windows sync.Pool    // of *page
	queries atomic.Int64 // statements so far
}

// Open returns a store. It connects when the first tape is requested. The DSN has the form of
// tapedeck/schema/clickhouse.
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

// Close closes the idle connections. All readers must be closed.
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

// smallPage is the usual size of a page of pageRows frames, bytes.
const smallPage = 4 << 20

// recycle returns a page to the pool. Frames of the page become invalid.
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

// pack packs the frames of a page, which belong to the given streams.
func (s *Store) pack(p *page, streams []*schema.StreamState) *packed {
	k, ok := s.packs.Get().(*packer)
	if !ok {
		k = &packer{}
	}
	defer s.packs.Put(k)
	return k.pack(p.frames, streams)
}

// enter waits for a slot, which leave releases.
func (s *Store) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Store) leave() { <-s.slots }

// do runs a read-only query in the caller's slot. If the connection is stale, it runs the query
// once more on a new connection, after it has called restart, which discards the rows read so far.
func (s *Store) do(ctx context.Context, q ch.Query, restart func()) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.QueryTimeout,
		fmt.Errorf("ClickHouse did not answer within %s", s.opts.QueryTimeout))
	defer cancel()
	s.queries.Add(1)
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

// on runs a query on a connection and keeps the connection if it is still usable.
func (s *Store) on(ctx context.Context, c *ch.Client, q ch.Query) error {
	// Do notices the end of ctx only with the server's next packet or after three seconds. If the
	// query was not sent, there is no packet.
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	err := c.Do(ctx, q)
	stop()
	if err != nil && !ch.IsException(err) || c.IsClosed() {
		// Do closes the connection when it is cancelled; a second Close returns an error that adds
		// nothing.
		_ = c.Close()
	} else {
		s.idle <- c // has room for every slot
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

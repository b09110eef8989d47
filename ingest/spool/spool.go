// Package spool keeps blocks safe on disk while they cannot be sent on. It
// stands before any publisher: as long as that one takes blocks they pass
// straight through; once it does not, they go to files, from which they are
// sent later, in order. A block is durable once its file was written, so a
// source is acknowledged also while the server is away.
//
// What may be sent twice: after a restart a segment file is sent from its
// start, since it holds no mark of how far it was confirmed. That is harmless,
// because blocks are deduplicated by their id and stored by key.
package spool

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"tapedeck/ingest"
)

// Options say where a spool lies and how much it holds. The zero value of a
// field stands for its default.
type Options struct {
	// Dir is the spool's directory, for one process at a time. It is made if
	// it does not exist.
	Dir   string
	Limit int64 // bytes in the directory at most; default 8 GiB
	// Next is where blocks go. An error of it that is ingest.Permanent goes
	// back to the stream; after any other the block is kept and sent again. If
	// an error has a method RefusesAll that gives true, no block will be taken
	// until somebody acts, say because a token was revoked: then new blocks
	// are refused with that error, and what is on disk stays there.
	Next ingest.Publisher
	// Sync has every block written through to the disk (fsync) before it counts
	// as durable. Without, a block survives a kill of this process, but not
	// necessarily a power cut.
	Sync bool
	// Timeout is how long Next may take to accept a block before the block
	// goes to disk instead; default 5 s.
	Timeout time.Duration
	// SegmentSize is when a file of the spool is full, bytes; default 16 MiB,
	// and an eighth of Limit at most.
	SegmentSize int64
	// What is on its way from disk to Next at a time.
	WindowBytes   int64 // default 16 MiB
	WindowParcels int   // default 1024
	Log           *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Limit == 0 {
		o.Limit = 8 << 30
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = 16 << 20
	}
	o.SegmentSize = min(o.SegmentSize, o.Limit/8)
	if o.WindowBytes == 0 {
		o.WindowBytes = 16 << 20
	}
	if o.WindowParcels == 0 {
		o.WindowParcels = 1024
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Spool is an ingest.Publisher that keeps what its next publisher does not take.
type Spool struct {
	opts   Options
	lock   *os.File // the directory is this process's while it is open
	store  *store
	teller *teller
	turn   chan struct{} // holds one token: whoever has it writes to the store
	wake   chan struct{} // tells the drainer that something happened
	stop   context.CancelFunc
	gone   chan struct{} // closed when the drainer has ended

	mu        sync.Mutex // guards all below
	mode      mode
	closed    bool
	changed   chan struct{} // closed and replaced when a waiting Publish should look again
	count     uint64        // publish numbers given out
	flights   map[uint64]*flight
	failed    []*flight // given up by Next since it was last in order
	held      []*flight // those, in order, until they are on disk or sent
	writing   bool      // a Publish is writing to the store
	diskErr   error     // why the last write failed: errNoRoom or what the disk said
	nextErr   error     // why Next last took nothing
	nextErrAt time.Time
	refusing  error // Next takes nothing at all until somebody acts
	since     time.Time
	totals    totals
}

// mode is how parcels go.
type mode uint8

const (
	direct    mode = iota // straight to Next
	switching             // new ones wait until those under way are settled and on disk
	spooling              // to disk, and from there to Next
)

func (m mode) String() string {
	return [...]string{"direct", "switching", "spooling"}[m]
}

// Open begins with a spool, and with sending what a former process left in it.
func Open(opts Options) (*Spool, error) {
	opts.setDefaults()
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make spool directory: %w", err)
	}
	lock, err := takeLock(opts.Dir)
	if err != nil {
		return nil, err
	}
	st, err := openStore(opts.Dir, opts.Limit, opts.SegmentSize, opts.Sync, opts.Log)
	if err != nil {
		lock.Close()
		return nil, err
	}
	s := &Spool{
		opts: opts, lock: lock, store: st, teller: newTeller(),
		turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), gone: make(chan struct{}),
		changed: make(chan struct{}), flights: map[uint64]*flight{}, since: time.Now(),
	}
	if st.parcels > 0 {
		s.mode = spooling
		opts.Log.Info("spool holds blocks of a former run; they are sent first",
			"dir", opts.Dir, "parcels", st.parcels, "bytes", st.bytes)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go s.drain(ctx)
	return s, nil
}

// stir has every waiting Publish look again. It needs mu.
func (s *Spool) stir() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// rouse has the drainer look again.
func (s *Spool) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

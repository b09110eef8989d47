// Package spool keeps blocks safe on disk while they cannot be sent on. It precedes any
// publisher: while that one takes blocks they pass straight through. A block that it does not
// take is appended to a file, and acknowledged then; blocks on disk are sent later, the oldest
// first. The blocks in flight are written before it, so that a process that is killed leaves
// no stream with a gap. Once the publisher takes blocks again, new ones pass straight through
// beside those from the disk: their order is not kept, since blocks are stored by key.
//
// What may be sent twice: what was in flight when the publisher failed; after a restart a
// segment file from its start, since it holds no mark of how far it was confirmed.
package spool

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/inflight"
)

// Options say where a spool lies and how much it holds. The zero value of a field stands for
// its default.
type Options struct {
	// Dir is the spool's directory, for one process at a time. It is made if it does not
	// exist.
	Dir   string
	Limit int64 // bytes in the directory at most; default 8 GiB
	// Next is where blocks go. An error of it that is ingest.Permanent goes back to the
	// stream; after any other the block is kept and sent again. If an error has a method
	// RefusesAll that returns true, no block will be taken until somebody acts, for example
	// because a token was revoked: then new blocks are refused with that error, and what is
	// on disk stays there.
	Next ingest.Publisher
	// Sync has every block written through to the disk (fsync) before it counts as durable.
	// Without, a block survives a kill of this process, but not necessarily a power cut.
	Sync bool
	// Timeout is how long Next may take to accept a block before the block goes to disk
	// instead; default 5 s.
	Timeout time.Duration
	// SegmentSize is when a file of the spool is full, bytes; default 16 MiB, and an eighth
	// of Limit at most.
	SegmentSize int64
	// What is in flight from disk to Next at a time.
	WindowBytes  int64 // default 16 MiB
	WindowBlocks int   // default 1024
	Log          *slog.Logger
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
	if o.WindowBlocks == 0 {
		o.WindowBlocks = 1024
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Spool is an ingest.Publisher that keeps what its next publisher does not take.
type Spool struct {
	opts  Options
	lock  *os.File // the directory is this process's while it is open
	store *store
	wake  chan struct{} // has the drainer look again
	stop  context.CancelFunc
	gone  chan struct{}  // closed when the drainer has ended
	calls sync.WaitGroup // callbacks of blocks that were written to disk

	order sync.Mutex // held while blocks are written to disk; taken before mu

	mu        sync.Mutex // guards all below
	closed    bool
	changed   chan struct{}              // closed and replaced when whoever waits should look again
	inFlight  inflight.Tracker[*pending] // blocks that went straight to Next
	failed    []*pending                 // blocks that Next did not take and that are not on disk
	down      bool                       // Next took nothing lately: new blocks go to disk
	fresh     bool                       // down was set since the drainer looked
	drained   bool                       // nothing is on disk, nor failed
	since     time.Time                  // of drained, or of its end
	diskErr   error                      // why the last write failed: errNoRoom or the disk's error
	nextErr   error                      // why Next last took nothing
	nextErrAt time.Time
	refusing  error // Next takes nothing at all until somebody acts
	totals    totals
}

// pending is a block that was taken and is neither settled nor on disk.
type pending struct {
	spool  *Spool
	block  ingest.EncodedBlock
	done   func(error)
	number uint64 // in Spool.inFlight, while Next has it
}

// Open opens a spool and begins to send what a former process left in it.
func Open(opts Options) (*Spool, error) {
	opts.setDefaults()
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make spool directory: %w", err)
	}
	lock, err := takeLock(opts.Dir)
	if err != nil {
		return nil, err
	}
	st, err := openStore(&opts)
	if err != nil {
		lock.Close()
		return nil, err
	}
	s := &Spool{
		opts: opts, lock: lock, store: st, wake: make(chan struct{}, 1), gone: make(chan struct{}),
		changed: make(chan struct{}), drained: true, since: time.Now(),
	}
	if bytes, blocks, _ := st.load(); blocks > 0 {
		s.down, s.drained = true, false
		opts.Log.Info("spool: holds blocks of a former run", "dir", opts.Dir, "blocks", blocks, "bytes", bytes)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go s.drain(ctx)
	return s, nil
}

// notify has every waiting Publish look again. It needs mu.
func (s *Spool) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// wakeDrainer has the drainer look again.
func (s *Spool) wakeDrainer() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

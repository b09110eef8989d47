// Package spool stores blocks on disk while they cannot be sent. It precedes any publisher. While
// that publisher accepts blocks, they go straight to it. A block that the publisher does not accept
// is appended to a file and then acknowledged; blocks on disk are sent later, the oldest first. The
// blocks in flight are written before it, so that a killed process leaves no stream with a gap.
// Once the publisher accepts blocks again, new blocks go straight to it while blocks from disk are
// sent: their order is not kept, since blocks are stored by key.
//
// Two kinds of blocks may be sent twice: blocks that were in flight when the publisher failed, and
// after a restart the blocks of a segment file from its start, since the file does not record how
// many were confirmed.
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

// Options configure the directory of a spool and its bounds. The zero value of a field means its
// default.
type Options struct {
	// Dir is the spool's directory, used by one process at a time. It is created if it does not
	// exist.
	Dir string
	// Target is where the blocks are to be sent. Open returns a TargetError for a directory with blocks
	// for another one. With nil it sends blocks of any target.
	Target *Target
	Limit  int64 // maximum size of the directory, bytes; default 8 GiB
	// Next is the publisher that receives the blocks. An error of it that is ingest.Permanent is
	// returned to the stream; after any other error the block is stored and sent again. If an error
	// has a method RefusesAll that returns true, Next accepts no block until an operator acts, for
	// example because a token was revoked: new blocks are then refused with that error, and blocks
	// on disk stay there.
	Next ingest.Publisher
	// Drop reports whether a block that waited in the spool is not to be sent any more, although it
	// was accepted. It then counts as delivered. By default all blocks are sent.
	Drop func(context.Context, *ingest.EncodedBlock) bool
	// Sync flushes every block to the disk (fsync) before it counts as durable. Without it a block
	// survives a kill of this process, but not necessarily a power cut.
	Sync bool
	// Timeout is how long Next may take to accept a block before the block goes to disk
	// instead; default 5 s.
	Timeout time.Duration
	// SegmentSize is the size at which a file of the spool is complete, bytes; default 16 MiB, and
	// at most an eighth of Limit.
	SegmentSize int64
	// WindowBytes and WindowBlocks bound the blocks from disk that are in flight to Next.
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
	if o.Drop == nil {
		o.Drop = func(context.Context, *ingest.EncodedBlock) bool { return false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Spool is an ingest.Publisher that stores the blocks that its next publisher does not accept.
type Spool struct {
	opts  Options
	lock  *os.File // locks the directory for this process while the spool is open
	store *store
	wake  chan struct{} // wakes the drainer
	stop  context.CancelFunc
	gone  chan struct{}  // closed when the drainer has ended
	calls sync.WaitGroup // callbacks of blocks that were written to disk

	order sync.Mutex // held while blocks are written to disk; taken before mu

	mu        sync.Mutex // guards all below
	closed    bool
	changed   chan struct{}              // closed and replaced when waiting callers should check again
	inFlight  inflight.Tracker[*pending] // blocks that went straight to Next
	failed    []*pending                 // blocks that Next did not take and that are not on disk
	down      bool                       // Next recently accepted nothing: new blocks go to disk
	fresh     bool                       // down was set since the drainer last checked
	drained   bool                       // no block is on disk, and none has failed
	since     time.Time                  // when drained was last set or cleared
	diskErr   error                      // why the last write failed: errNoRoom or the disk's error
	waits     error                      // why blocks wait, as it was logged; nil if none do
	nextErr   error                      // why Next last accepted nothing
	nextErrAt time.Time
	refusing  error // Next accepts nothing until an operator acts
	totals    totals
}

// pending is a block that was accepted and is neither settled nor on disk.
type pending struct {
	spool  *Spool
	block  ingest.EncodedBlock
	done   func(error)
	number uint64 // in Spool.inFlight, while Next has it
}

// Open opens a spool and begins to send the blocks that an earlier process left in it.
func Open(opts Options) (*Spool, error) {
	opts.setDefaults()
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make spool directory: %w", err)
	}
	lock, err := takeLock(opts.Dir)
	if err != nil {
		return nil, err
	}
	if opts.Target != nil {
		if err := checkTarget(opts.Dir, *opts.Target, opts.Log); err != nil {
			lock.Close()
			return nil, err
		}
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

// notify makes every waiting Publish check again. mu is held.
func (s *Spool) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// wakeDrainer makes the drainer check again.
func (s *Spool) wakeDrainer() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

package ingest

import (
	"context"
	"sync"

	"tapedeck/internal/inflight"
)

// ackTracker tracks the frame up to which a stream is durable. Its blocks may be acknowledged in
// any order.
type ackTracker struct {
	durable func(next uint64) // StreamOptions.Durable; may be nil
	// skipDeleted makes the stream continue when a block was refused because its session was
	// deleted, since other frames may name other sessions.
	skipDeleted bool
	ordering    sync.Mutex // held while durable is called: one call at a time, in order

	mu sync.Mutex // guards all below
	// blocks are the blocks in flight. The value of a block is the frame below which all are
	// durable once this block and the blocks before it are.
	blocks inflight.Tracker[uint64]
	next   uint64        // all frames below are durable
	err    error         // the first failure; it is final
	idle   chan struct{} // closed when no block is in flight or one has failed; nil while nothing waits
}

// sentBlock is a block of an ackTracker.
type sentBlock struct {
	acks   *ackTracker
	number uint64
}

func (a *ackTracker) init(next uint64, durable func(uint64)) { a.next, a.durable = next, durable }

// sent adds a block. waiting is the lowest frame that is not in a block yet.
func (a *ackTracker) sent(waiting uint64) sentBlock {
	a.mu.Lock()
	defer a.mu.Unlock()
	return sentBlock{a, a.blocks.Add(waiting)}
}

// skips reports whether the stream continues after a block failed.
func (a *ackTracker) skips(err error) bool { return a.skipDeleted && IsDeleted(err) }

// settle processes the outcome of a block; only the first call has an effect. Waiters are woken
// after durable was called.
func (b sentBlock) settle(err error) {
	a := b.acks
	a.ordering.Lock()
	defer a.ordering.Unlock()
	if next, moved := a.advance(b.number, err); moved && a.durable != nil {
		a.durable(next)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle != nil && (a.blocks.Len() == 0 || a.err != nil) {
		close(a.idle)
		a.idle = nil
	}
}

// advance records an outcome and reports whether more frames are durable. A block that failed stays
// in flight, so the watermark never passes it.
func (a *ackTracker) advance(number uint64, err error) (next uint64, moved bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && !a.skips(err) {
		if a.err == nil {
			a.err = err
		}
		return 0, false
	}
	a.blocks.Settle(number)
	if mark, ok := a.blocks.Watermark(); ok && mark > a.next {
		a.next = mark
		return mark, true
	}
	return 0, false
}

// failure returns the first error that a block was settled with.
func (a *ackTracker) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// wait returns when no block is in flight, or with the first failure.
func (a *ackTracker) wait(ctx context.Context) error {
	a.ordering.Lock() // wait until durable has returned for all settled blocks
	a.mu.Lock()
	a.ordering.Unlock()
	if a.err != nil || a.blocks.Len() == 0 {
		defer a.mu.Unlock()
		return a.err
	}
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	idle := a.idle
	a.mu.Unlock()
	select {
	case <-idle:
		return a.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

package proxy

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// item is one thing that passed, for the recorder of an exchange.
type item struct {
	way  schema.Direction
	at   int64  // ns
	note []byte // a head, trailers
	body *body  // bytes of this direction are of this kind from here on
	data []byte // of the body; the queue's own copy
	end  bool   // of the body
	// whole: the body ended as it was to.
	whole bool
}

// itemOverhead stands for what an item takes beside its bytes.
const itemOverhead = 128

// queue holds what waits to be recorded of one exchange. What waits is bounded
// by own for this one and by total for all exchanges.
type queue struct {
	own   *semaphore.Weighted
	limit int64 // of own
	total *semaphore.Weighted

	mu      sync.Mutex // guards all below
	items   []item
	closed  bool
	wake    chan struct{} // holds one element while there may be something to take
	overdue *time.Timer   // signals what nobody did, once lateSignal has gone by
	armed   bool          // overdue runs
}

// lateSignal is how long an item waits at most for whoever put it to signal. It
// comes to that when a write to a client does, which is held up.
const lateSignal = 50 * time.Millisecond

func newQueue(limit int64, total *semaphore.Weighted) *queue {
	q := &queue{own: semaphore.NewWeighted(limit), limit: limit, total: total, wake: make(chan struct{}, 1)}
	q.overdue = time.AfterFunc(lateSignal, q.signalLate)
	q.overdue.Stop()
	return q
}

// weight is what an item counts against the bounds.
func (q *queue) weight(it *item) int64 {
	return min(int64(len(it.data)+len(it.note))+itemOverhead, q.limit)
}

// reserve makes room for an item, waiting until ctx ends if need be.
func (q *queue) reserve(ctx context.Context, n int64) bool {
	if q.own.Acquire(ctx, n) != nil {
		return false
	}
	if q.total.Acquire(ctx, n) != nil {
		q.own.Release(n)
		return false
	}
	return true
}

// reserveWithin makes room for an item. For room in this queue, which a fast
// transfer fills, it waits as long as it may; where all queues together are
// full, the recorder is behind for good, and it does not.
func (q *queue) reserveWithin(n int64, patience time.Duration) bool {
	if !q.own.TryAcquire(n) {
		if patience <= 0 {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if q.own.Acquire(ctx, n) != nil {
			return false
		}
	}
	if !q.total.TryAcquire(n) {
		q.own.Release(n)
		return false
	}
	return true
}

// put appends an item that room was made for, and stamps it. A recorder that
// waits is woken by signal, so that it takes no processor from those who pass the
// item on, and after lateSignal at the latest.
func (q *queue) put(it item) {
	q.mu.Lock()
	closed := q.closed
	if !closed {
		it.at = ingest.Now() // here, so that items stand in the order of their times
		q.items = append(q.items, it)
		if !q.armed {
			q.armed = true
			q.overdue.Reset(lateSignal)
		}
	}
	q.mu.Unlock()
	if closed { // the exchange is over
		q.release(&it)
	}
}

func (q *queue) signalLate() {
	q.mu.Lock()
	q.armed = false
	q.mu.Unlock()
	q.signal()
}

// close says that there will be no more.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.overdue.Stop()
	q.mu.Unlock()
	q.signal()
}

// signal has the recorder take what was put.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for items and gives all there are, in exchange for the list that
// was given before; nil when there are no more.
func (q *queue) take(spare []item) []item {
	for {
		q.mu.Lock()
		items, closed := q.items, q.closed
		if len(items) > 0 {
			clear(spare)
			q.items = spare[:0]
		}
		q.mu.Unlock()
		if len(items) > 0 {
			return items
		}
		if closed {
			return nil
		}
		<-q.wake
	}
}

// release gives the room of an item back, once it was recorded.
func (q *queue) release(it *item) {
	n := q.weight(it)
	q.own.Release(n)
	q.total.Release(n)
}

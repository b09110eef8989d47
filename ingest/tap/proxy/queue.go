package proxy

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// item is an element of the queue of an exchange.
type item struct {
	way  schema.Direction
	at   int64  // ns
	note []byte // a head, or trailers
	body *body  // the following bytes of this direction belong to this body
	data []byte // of the body; the queue's own copy
	end  bool   // of the body
	// whole reports that the body is complete.
	whole bool
}

// itemOverhead is the assumed size of an item besides its bytes.
const itemOverhead = 128

// queue holds the items of one exchange that wait to be recorded. own bounds the items of this
// exchange, total the items of all exchanges.
type queue struct {
	own   *semaphore.Weighted
	limit int64 // of own
	total *semaphore.Weighted

	mu      sync.Mutex // guards all below
	items   []item
	closed  bool
	wake    chan struct{} // holds one element while there may be items to take
	overdue *time.Timer   // signals after lateSignal if no other goroutine did
	armed   bool          // overdue is running
}

// lateSignal bounds how long an item waits for a signal from the goroutine that put the item. The
// signal is late if a write to a client blocks.
const lateSignal = 50 * time.Millisecond

func newQueue(limit int64, total *semaphore.Weighted) *queue {
	q := &queue{own: semaphore.NewWeighted(limit), limit: limit, total: total, wake: make(chan struct{}, 1)}
	q.overdue = time.AfterFunc(lateSignal, q.signalLate)
	q.overdue.Stop()
	return q
}

// weight returns the weight of an item in the bounds.
func (q *queue) weight(it *item) int64 {
	return min(int64(len(it.data)+len(it.note))+itemOverhead, q.limit)
}

// reserve reserves room for an item. It waits for room until ctx ends.
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

// reserveWithin reserves room for an item. It waits at most the timeout for room in this queue,
// which a fast transfer fills. If all queues together are full, the recorder is too slow in
// general, and reserveWithin does not wait.
func (q *queue) reserveWithin(n int64, timeout time.Duration) bool {
	if !q.own.TryAcquire(n) {
		if timeout <= 0 {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
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

// put appends an item with reserved room, and sets its time. signal wakes the recorder, so that
// recording does not compete for CPU time with forwarding; lateSignal bounds the delay.
func (q *queue) put(it item) {
	queued.Add(float64(q.weight(&it)))
	q.mu.Lock()
	closed := q.closed
	if !closed {
		it.at = ingest.Now() // under the lock, so that items are in the order of their times
		q.items = append(q.items, it)
		if !q.armed {
			q.armed = true
			q.overdue.Reset(lateSignal)
		}
	}
	q.mu.Unlock()
	if closed { // the exchange has ended
		q.release(&it)
	}
}

func (q *queue) signalLate() {
	q.mu.Lock()
	q.armed = false
	q.mu.Unlock()
	q.signal()
}

// close ends the queue: no more items are put.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.overdue.Stop()
	q.mu.Unlock()
	q.signal()
}

// signal wakes the recorder.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for items and returns all of them. spare is the list that take returned before, which
// it reuses. take returns nil after the last items of a closed queue.
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

// release releases the room of an item after it was recorded.
func (q *queue) release(it *item) {
	n := q.weight(it)
	queued.Sub(float64(n))
	q.own.Release(n)
	q.total.Release(n)
}

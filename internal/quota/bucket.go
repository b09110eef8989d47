package quota

import (
	"context"
	"sync"
	"time"
)

// bucket fills with an amount per second, up to that of one second. What takes more than that at
// once waits for a full bucket and leaves it in debt, so it passes however large it is, and what
// comes after it waits for longer. Those that wait are served in their order. It is safe for use
// by many goroutines.
type bucket struct {
	perSecond, size float64
	turn            chan struct{} // held by the one that waits first

	mu     sync.Mutex // guards the rest
	amount float64
	at     time.Time // when amount was right
}

func newBucket(perSecond float64) *bucket {
	size := max(perSecond, 1)
	return &bucket{perSecond: perSecond, size: size, turn: make(chan struct{}, 1), amount: size, at: time.Now()}
}

// take takes n, or returns how long it has to wait for that. It needs the turn.
func (b *bucket) take(n float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	if missing := min(n, b.size) - b.amount; missing > 0 {
		return max(time.Duration(missing/b.perSecond*float64(time.Second)), time.Microsecond)
	}
	b.amount -= n
	return 0
}

// fill adds what has come since it was called last. It needs mu.
func (b *bucket) fill() {
	now := time.Now()
	b.amount = min(b.amount+now.Sub(b.at).Seconds()*b.perSecond, b.size)
	b.at = now
}

// refund returns what was taken and not used.
func (b *bucket) refund(n float64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.amount += n
}

// isFull reports whether the bucket is as a new one is.
func (b *bucket) isFull() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	return b.amount >= b.size && len(b.turn) == 0
}

// wait takes n once it is there. It returns how long it waited, and, if ctx ended meanwhile, when
// to try again. Then nothing is taken.
func (b *bucket) wait(ctx context.Context, n float64) (waited, again time.Duration) {
	if b == nil || n <= 0 {
		return 0, 0
	}
	began := time.Now()
	select {
	case b.turn <- struct{}{}:
		if b.take(n) == 0 {
			<-b.turn
			return 0, 0
		}
	default:
		select {
		case b.turn <- struct{}{}:
		case <-ctx.Done():
			return time.Since(began), max(b.missing(n), time.Second)
		}
	}
	defer func() { <-b.turn }()
	for {
		delay := b.take(n)
		if delay == 0 {
			return time.Since(began), 0
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil { // also if both came at once
			return time.Since(began), max(b.missing(n), time.Second)
		}
	}
}

// missing returns how long it would take until n is there.
func (b *bucket) missing(n float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill()
	return time.Duration(max(min(n, b.size)-b.amount, 0) / b.perSecond * float64(time.Second))
}

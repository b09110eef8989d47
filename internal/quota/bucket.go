package quota

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// bucket fills with an amount per second, up to that of one second. What takes more than that at
// once waits for a full bucket and leaves it in debt, so it passes however large it is, and what
// comes after it waits for longer. Those that wait are served in their order. It is safe for use
// by many goroutines.
type bucket struct {
	limiter *rate.Limiter
	turn    chan struct{} // held by the one that waits first, which alone takes
}

func newBucket(perSecond float64) *bucket {
	return &bucket{rate.NewLimiter(rate.Limit(perSecond), max(int(perSecond), 1)), make(chan struct{}, 1)}
}

// take takes n, or returns how long it has to wait for that. It needs the turn.
func (b *bucket) take(n int) time.Duration {
	now := time.Now()
	if missing := b.missing(now, n); missing > 0 {
		return max(missing, time.Microsecond)
	}
	for n > 0 { // a limiter takes no more than its burst at once, and may go into debt
		part := min(n, b.limiter.Burst())
		b.limiter.ReserveN(now, part)
		n -= part
	}
	return 0
}

// refund returns what was taken and not used.
func (b *bucket) refund(n int) {
	if b != nil {
		b.limiter.ReserveN(time.Now(), -n)
	}
}

// isFull reports whether the bucket is as a new one is.
func (b *bucket) isFull() bool {
	return b.limiter.Tokens() >= float64(b.limiter.Burst()) && len(b.turn) == 0
}

// wait takes n once it is there. It returns how long it waited, and, if ctx ended meanwhile, when
// to try again. Then nothing is taken.
func (b *bucket) wait(ctx context.Context, n int) (waited, again time.Duration) {
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
			return b.refused(began, n)
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
			return b.refused(began, n)
		}
	}
}

// refused returns how long one that takes nothing has waited, and when it is to try again.
func (b *bucket) refused(began time.Time, n int) (waited, again time.Duration) {
	now := time.Now()
	return now.Sub(began), max(b.missing(now, n), time.Second)
}

// missing returns how long it takes until n is there, or a full bucket for more than one holds.
func (b *bucket) missing(now time.Time, n int) time.Duration {
	tokens := float64(min(n, b.limiter.Burst())) - b.limiter.TokensAt(now)
	return time.Duration(max(tokens, 0) / float64(b.limiter.Limit()) * float64(time.Second))
}

package quota

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// bucket is a token bucket that fills by an amount per second and holds the amount of one second. A
// request for more than the bucket holds waits for a full bucket and leaves it in debt, so it
// passes regardless of its size, and later requests wait longer. Requests are served in order. It
// is safe for use by many goroutines.
type bucket struct {
	limiter *rate.Limiter
	turn    chan struct{} // held by the first waiting request, which alone may take
}

func newBucket(perSecond float64) *bucket {
	return &bucket{rate.NewLimiter(rate.Limit(perSecond), max(int(perSecond), 1)), make(chan struct{}, 1)}
}

// take takes n, or returns how long to wait for n. The caller holds the turn.
func (b *bucket) take(n int) time.Duration {
	now := time.Now()
	if missing := b.missing(now, n); missing > 0 {
		return max(missing, time.Microsecond)
	}
	for n > 0 { // a limiter takes at most its burst at once, and may go into debt
		part := min(n, b.limiter.Burst())
		b.limiter.ReserveN(now, part)
		n -= part
	}
	return 0
}

// refund returns an amount that was taken and not used.
func (b *bucket) refund(n int) {
	if b != nil {
		b.limiter.ReserveN(time.Now(), -n)
	}
}

// isFull reports whether the bucket is full, like a new one.
func (b *bucket) isFull() bool {
	return b.limiter.Tokens() >= float64(b.limiter.Burst()) && len(b.turn) == 0
}

// wait takes n once it is available. It returns how long it waited and, if ctx ended meanwhile,
// when to try again. In that case it takes nothing.
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
		if ctx.Err() != nil { // even if both happened at once
			return b.refused(began, n)
		}
	}
}

// refused returns how long a request that takes nothing has waited, and when to try again.
func (b *bucket) refused(began time.Time, n int) (waited, again time.Duration) {
	now := time.Now()
	return now.Sub(began), max(b.missing(now, n), time.Second)
}

// missing returns how long it takes until n is available, or a full bucket if n is more than it
// holds.
func (b *bucket) missing(now time.Time, n int) time.Duration {
	tokens := float64(min(n, b.limiter.Burst())) - b.limiter.TokensAt(now)
	return time.Duration(max(tokens, 0) / float64(b.limiter.Limit()) * float64(time.Second))
}

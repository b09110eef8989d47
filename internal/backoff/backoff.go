// Package backoff computes the pauses between retries.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is an exponential backoff from Min to Max with a jitter of a fifth, so that clients that
// failed together do not retry together. It is for one goroutine.
type Backoff struct {
	Min, Max time.Duration
	next     time.Duration
}

// Next returns the pause before the next attempt, between Min and Max.
func (b *Backoff) Next() time.Duration {
	d := min(max(b.next, b.Min), b.Max)
	b.next = 2 * d
	varied := time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
	return min(max(varied, b.Min), b.Max)
}

// Reset restarts at Min after a success.
func (b *Backoff) Reset() { b.next = 0 }

// Sleep pauses for d or until ctx ends. It returns false if ctx has ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

package budget

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/problem"
)

func refusal(t *testing.T, err error, limit string) {
	t.Helper()
	p, ok := problem.From(err)
	if err == nil || !ok || p.Status != 503 || p.RetryAfter == 0 || p.Limit != limit {
		t.Errorf("%v (%+v), want a refusal for %s", err, p, limit)
	}
}

func TestLimits(t *testing.T) {
	b := New(Options{Bytes: 4 * Base, Readers: 3, Wait: 20 * time.Millisecond})
	var grants []*Grant
	for range 3 {
		g, err := b.Enter()
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, g)
	}
	_, err := b.Enter()
	refusal(t, err, readersLimit)
	ctx := t.Context()
	metrictest.Of(b).Show(t, "tapedeck_readers", "tapedeck_reader_bytes", "tapedeck_readers_refused_total")
	if err := errors.Join(grants[0].Need(ctx, 2*Base), grants[1].Need(ctx, Base)); err != nil {
		t.Fatal(err) // the base of each is charged already
	}
	if grants[1].Try(1) {
		t.Error("more than the budget without waiting")
	}
	// One has what it needs, however much; another waits for it.
	if err := grants[1].Need(ctx, 10*Base); err != nil {
		t.Error(err)
	}
	refusal(t, grants[0].Need(ctx, Base), bytesLimit)
	grants[2].Close()
	_, err = b.Enter()
	refusal(t, err, bytesLimit)
	got := make(chan error)
	b.opts.Wait = 20 * time.Second
	go func() { got <- grants[0].Need(ctx, Base) }()
	time.Sleep(10 * time.Millisecond) // so that it waits in nearly all runs; the outcome is the same if it does not
	grants[1].Close()
	if err := <-got; err != nil {
		t.Error(err)
	}
	grants[0].Close()
	grants[0].Close()
	if b.used != 0 || b.readers != 0 || b.over != nil || len(b.waiting) != 0 {
		t.Errorf("left: %+v", b)
	}
}

// Readers that hold something and need more, in any order, all come to their end.
func TestNoDeadlock(t *testing.T) {
	const limit = 8 * Base
	b := New(Options{Bytes: limit, Wait: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 50 {
				g, err := b.Enter()
				if err != nil {
					refusal(t, err, bytesLimit)
					continue
				}
				for range 4 {
					if err := g.Need(ctx, rand.Int64N(3*Base)); err != nil {
						t.Errorf("a reader came to no end: %v", err)
					}
				}
				b.mu.Lock()
				if b.used > limit+12*Base {
					t.Errorf("%d bytes are in use, more than the limit and what one needs", b.used)
				}
				b.mu.Unlock()
				g.Close()
			}
		})
	}
	all.Wait()
	if b.used != 0 || b.readers != 0 || b.over != nil {
		t.Errorf("left: %d bytes, %d readers", b.used, b.readers)
	}
}

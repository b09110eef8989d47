package copier_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// A frame is charged four times the buffer that holds it, from 256 KiB on, or four times what is
// known of its length, until it is recorded.
func TestCharged(t *testing.T) {
	const kib, limit = 1 << 10, 4 << 20
	for _, c := range []struct {
		name    string
		reads   []int // bytes of the reads of one line
		follows int64 // after the last read; -1 for unknown
		charged int64
	}{
		{"small", []int{200 * kib}, -1, 0},
		{"a read of the largest size", []int{256 * kib}, -1, 0},
		{"large", []int{256 * kib, 100 * kib}, -1, 4 * 512 * kib},
		{"growing", []int{256 * kib, 256 * kib, 100 * kib}, -1, 4 * 1024 * kib},
		{"of known length", []int{256 * kib, 100 * kib}, 644 * kib, 4 * 1000 * kib},
		{"in a long body", []int{256 * kib, 100 * kib}, 2 * limit, 4 * 512 * kib},
	} {
		t.Run(c.name, func(t *testing.T) {
			writers := budget.NewWriters(budget.Options{Bytes: 64 << 20})
			f := copier.NewCharged(copier.NewFramer(schema.NDJSON, limit), limit, writers)
			f.Context = t.Context()
			left := int64(-1)
			f.Follows = func(int) int64 { return left }
			frames := 0
			emit := func(*schema.Frame) error { frames++; return nil }
			for i, n := range c.reads {
				if i == len(c.reads)-1 {
					left = c.follows
				}
				if err := f.Split(bytes.Repeat([]byte("x"), n), 1, emit); err != nil {
					t.Fatal(err)
				}
			}
			if free := free(writers); free != 64<<20-c.charged {
				t.Errorf("%d bytes are charged, want %d", 64<<20-free, c.charged)
			}
			if err := f.Split([]byte("\n"), 2, emit); err != nil || frames != 1 {
				t.Fatalf("%d frames, %v", frames, err)
			}
			if f.Charges() || free(writers) != 64<<20 {
				t.Error("a recorded frame is charged")
			}
			f.Release()
		})
	}
}

// free returns how many bytes of a budget are free.
func free(b *budget.Budget) int64 {
	low, high := int64(0), int64(1)<<40
	for low < high {
		middle := (low + high + 1) / 2
		g := b.Write()
		if g.Try(middle) {
			low = middle
		} else {
			high = middle - 1
		}
		g.Close()
	}
	return low
}

// A frame for which there is no memory in time is refused with the limit's name; a wait ends with its
// context.
func TestChargedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writers := budget.NewWriters(budget.Options{Bytes: 1 << 20})
		holder := writers.Write()
		if err := holder.Need(t.Context(), 2<<20); err != nil { // one may exceed the budget
			t.Fatal(err)
		}
		split := func(ctx context.Context) error {
			f := copier.NewCharged(copier.NewFramer(schema.NDJSON, 0), 0, writers)
			f.Context = ctx
			defer f.Release()
			none := func(*schema.Frame) error { return nil }
			return errors.Join(f.Split(make([]byte, 300<<10), 1, none), f.Split(make([]byte, 1), 2, none))
		}
		began := time.Now()
		p, ok := problem.From(split(t.Context()))
		if !ok || p.Limit != "max-writer-bytes" || p.Status != 503 || p.RetryAfter == 0 || time.Since(began) != 25*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), p)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the server is shutting down")
		time.AfterFunc(time.Second, func() { cancel(why) })
		if err := split(ctx); !errors.Is(err, why) {
			t.Errorf("a wait that was ended: %v", err)
		}
		time.AfterFunc(time.Second, holder.Close)
		if err := split(t.Context()); err != nil {
			t.Errorf("after memory was released: %v", err)
		}
	})
}

package dataset

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tapedeck/query/pricing/prices"
	"tapedeck/schema/clickhouse"
)

// batchFrames is the sink's default for one insert.
const batchFrames = 300_000

// Filler fills a ClickHouse that has tapedeck's tables.
type Filler struct {
	Options // with defaults
	DSN     string
	// Check is called after each batch with the number of frames so far; its error ends the fill.
	Check func(ctx context.Context, frames uint64) error
}

// Fill writes the data set and records in dir, after Claim, that it is filled. An unfinished fill
// can be repeated: all rows replace themselves.
func (f *Filler) Fill(ctx context.Context, dir string) (*Expected, error) {
	var next, frames atomic.Int64
	var mu sync.Mutex // guards all
	all := newExpected()
	each := max(batchFrames*f.Sessions/f.Frames, 1) // sessions in a batch
	group, ctx := errgroup.WithContext(ctx)
	for range max(runtime.GOMAXPROCS(0), 2) {
		group.Go(func() error {
			own, err := f.work(ctx, each, &next, &frames)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			all.merge(own)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("fill the data set: %w", err)
	}
	return all, finish(dir, f.Options, all)
}

// work fills one batch of sessions after another until none are left.
func (f *Filler) work(ctx context.Context, each int, next, frames *atomic.Int64) (*Expected, error) {
	c, err := newRecorder()
	if err != nil {
		return nil, err
	}
	client, err := clickhouse.Dial(ctx, f.DSN)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	e, p, batch := newExpected(), &pricer{prices.With(nil)}, clickhouse.NewBatch()
	var w writer
	for {
		from := int(next.Add(1)-1) * each
		if from >= f.Sessions {
			return e, nil
		}
		for n := from; n < min(from+each, f.Sessions); n++ {
			if err := f.session(n, c, &w, e, p, batch); err != nil {
				return nil, fmt.Errorf("session %d: %w", n, err)
			}
		}
		if err := batch.Insert(ctx, client); err != nil {
			return nil, err
		}
		total := frames.Add(int64(batch.Frames()))
		batch.Reset()
		if f.Check != nil {
			if err := f.Check(ctx, uint64(total)); err != nil {
				return nil, err
			}
		}
	}
}

// session adds a session to a batch.
func (f *Filler) session(n int, c *recorder, w *writer, e *Expected, p *pricer, batch *clickhouse.Batch) error {
	s := f.plan(n)
	w.write(s)
	if err := batch.Add(Tenant, c.record(s, s.stream, w.frames, 0)); err != nil {
		return err
	}
	later := int64(0)
	if s.again != "" {
		later = secondDelay
		if err := batch.Add(Tenant, c.record(s, s.again, w.frames, later)); err != nil {
			return err
		}
	}
	return e.session(s, w, p, later)
}

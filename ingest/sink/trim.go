package sink

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/jetstream"
)

const (
	trimEvery = 30 * time.Second
	// Above this share of its size limit a stream gives up stored blocks before
	// their time.
	trimAbove = 0.75
)

// trimLoop removes from JetStream what ClickHouse has and nobody follows any
// more. Sinks that trim at the same time do each other no harm.
func (s *Sink) trimLoop(ctx context.Context) {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.Trim(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("sink: could not remove stored blocks from JetStream, trying again later", "error", err)
		}
	}
}

// Trim removes the blocks that are stored and were published longer ago than
// the time to keep them; if the stream is nearly full, the older half of what
// is stored, however young. What is not stored is never removed.
func (s *Sink) Trim(ctx context.Context) error {
	str, err := s.js.Stream(ctx, stream.StreamName)
	if err != nil {
		return fmt.Errorf("trim: %w", err)
	}
	consumer, err := str.Consumer(ctx, ConsumerName)
	if err != nil {
		return fmt.Errorf("trim: %w", err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return fmt.Errorf("trim: %w", err)
	}
	config, state := str.CachedInfo().Config, str.CachedInfo().State
	first, stored := state.FirstSeq, info.AckFloor.Stream
	if state.Msgs == 0 || stored < first {
		return nil
	}
	upTo, err := olderThan(ctx, str, first, stored, time.Now().Add(-s.opts.Keep))
	if err != nil {
		return fmt.Errorf("trim: %w", err)
	}
	if config.MaxBytes > 0 && float64(state.Bytes) > trimAbove*float64(config.MaxBytes) {
		upTo = max(upTo, first+(stored-first+1)/2, first+1)
	}
	if upTo <= first {
		return nil
	}
	if err := str.Purge(ctx, jetstream.WithPurgeSequence(upTo)); err != nil {
		return fmt.Errorf("trim: remove blocks up to %d: %w", upTo, err)
	}
	return nil
}

// olderThan finds the first message of [first, last] that was published at t or
// later, or last+1.
func olderThan(ctx context.Context, str jetstream.Stream, first, last uint64, t time.Time) (uint64, error) {
	var failure error
	n := sort.Search(int(last-first+1), func(i int) bool {
		if failure != nil {
			return true
		}
		m, err := str.GetMsg(ctx, first+uint64(i))
		if err != nil {
			failure = err
			return true
		}
		return !m.Time.Before(t)
	})
	return first + uint64(n), failure
}

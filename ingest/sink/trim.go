package sink

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
)

const (
	trimEvery = 30 * time.Second
	// trimAbove is the share of a stream's size limit above which stored blocks are removed early.
	trimAbove = 0.75
	// roomAgain and roomAgainMost bound the interval at which a nearly full stream is checked even
	// if this sink has stored nothing: acknowledgements take some time, and another sink may have
	// stored blocks.
	roomAgain     = 100 * time.Millisecond
	roomAgainMost = 2 * time.Second
)

// trimLoop removes stored blocks that live readers no longer need from JetStream. It runs at
// intervals and, for a nearly full stream, as soon as a block was stored. Several sinks may trim
// concurrently.
func (s *Sink) trimLoop(ctx context.Context) {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	var again <-chan time.Time // while the stream is nearly full
	var wait time.Duration
	for {
		var crowded bool
		var err error
		select {
		case <-ctx.Done():
			return
		case <-s.stored:
			wait = 0
			crowded, err = s.makeRoom(ctx)
		case <-again:
			crowded, err = s.makeRoom(ctx)
		case <-tick.C:
			crowded, err = s.trim(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("sink: could not remove stored blocks from JetStream, trying again later", "error", err)
		}
		if again = nil; crowded {
			wait = min(max(2*wait, roomAgain), roomAgainMost)
			again = time.After(wait)
		}
	}
}

// noteStored notifies trimLoop, which frees space in a nearly full stream.
func (s *Sink) noteStored() {
	select {
	case s.stored <- struct{}{}:
	default: // trimLoop is notified already
	}
}

// Trim removes stored blocks that were published longer ago than Keep. If the stream is nearly
// full, Trim removes the older half of the stored blocks regardless of age. It never removes blocks
// that are not stored.
func (s *Sink) Trim(ctx context.Context) error {
	_, err := s.trim(ctx)
	return err
}

// trim implements Trim for all partitions. It reports whether one was nearly full.
func (s *Sink) trim(ctx context.Context) (crowded bool, err error) { return s.each(ctx, s.trimOne) }

// makeRoom implements trimLoop for nearly full partitions, and reports whether there was one.
func (s *Sink) makeRoom(ctx context.Context) (crowded bool, err error) {
	return s.each(ctx, s.makeRoomOne)
}

// each calls do for each partition. If it fails for one, the others are not left out.
func (s *Sink) each(ctx context.Context, do func(context.Context, jetstream.Stream) (bool, error)) (crowded bool, err error) {
	partitions, err := stream.Partitions(ctx, s.js)
	if err != nil {
		return false, fmt.Errorf("trim: %w", err)
	}
	for _, p := range partitions {
		one, failed := do(ctx, p)
		crowded, err = crowded || one, errors.Join(err, failed)
	}
	return crowded, err
}

// trimOne trims a partition, and reports whether it was nearly full.
func (s *Sink) trimOne(ctx context.Context, partition jetstream.Stream) (crowded bool, err error) {
	r, err := s.removable(ctx, partition, true)
	if err != nil || r.none() {
		return r.crowded, err
	}
	upTo, err := olderThan(ctx, r.stream, r.first, r.last, time.Now().Add(-s.opts.Keep))
	if err != nil {
		return r.crowded, fmt.Errorf("trim: %w", err)
	}
	return r.crowded, r.remove(ctx, max(upTo, r.half()))
}

// makeRoomOne removes the older half of the stored blocks of a partition that is nearly full, and
// reports whether it was.
func (s *Sink) makeRoomOne(ctx context.Context, partition jetstream.Stream) (crowded bool, err error) {
	r, err := s.removable(ctx, partition, false)
	if err != nil || r.none() {
		return r.crowded, err
	}
	return r.crowded, r.remove(ctx, r.half())
}

// removable is the range of stored messages of a stream, from first to last. The range is empty if
// last is less than first.
type removable struct {
	stream      jetstream.Stream
	first, last uint64
	crowded     bool // the stream is nearly full
}

// removable queries JetStream for the stored messages. If the stream is not nearly full, it does so
// only if roomy is set.
func (s *Sink) removable(ctx context.Context, partition jetstream.Stream, roomy bool) (r removable, err error) {
	r.stream = partition
	config, state := r.stream.CachedInfo().Config, r.stream.CachedInfo().State
	r.first = state.FirstSeq
	r.crowded = config.MaxBytes > 0 && float64(state.Bytes) > trimAbove*float64(config.MaxBytes)
	if state.Msgs == 0 || !r.crowded && !roomy {
		return r, nil
	}
	consumer, err := r.stream.Consumer(ctx, ConsumerName) // with its current state
	if err != nil {
		return r, fmt.Errorf("trim: %w", err)
	}
	r.last = consumer.CachedInfo().AckFloor.Stream
	return r, nil
}

func (r *removable) none() bool { return r.last == 0 || r.last < r.first }

// half returns the sequence of the first message to keep if space is needed, else 0.
func (r *removable) half() uint64 {
	if !r.crowded {
		return 0
	}
	return max(r.first+(r.last-r.first+1)/2, r.first+1)
}

// remove removes the messages whose sequence is less than upTo.
func (r *removable) remove(ctx context.Context, upTo uint64) error {
	if upTo <= r.first {
		return nil
	}
	if err := r.stream.Purge(ctx, jetstream.WithPurgeSequence(upTo)); err != nil {
		return fmt.Errorf("trim: remove blocks up to %d: %w", upTo, err)
	}
	return nil
}

// olderThan returns the sequence of the first message in [first, last] that was published at t or
// later, or last+1 if there is none.
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

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/backoff"
)

// ErrPartitions reports that JetStream has another number of partitions than the configuration.
var ErrPartitions = errors.New("the number of partitions differs")

const (
	// settleTime is how long a message that was accepted may take to be in its stream after the
	// stream has been closed.
	settleTime = time.Second
	// mostDrained is the number of unstored messages of a partition from which on it is not closed:
	// recorders spool while the sinks store them.
	mostDrained = 4096
)

// Repartition changes the number of partitions to that of the configuration. It closes the old
// partitions, so that recorders spool, and continues once the sinks have stored what is in them. It
// is called again after an error, which states what it waits for. One process at a time may call it.
//
// The new partitions begin at a sequence that is above all earlier ones. A place in an earlier
// partition is therefore known to be one of removed, stored blocks.
func Repartition(ctx context.Context, js jetstream.JetStream, c Config) error {
	c = c.WithDefaults()
	old, err := existing(ctx, js)
	if err != nil || len(old) == 0 {
		return err
	}
	now, err := layoutOf(old[0])
	if err != nil {
		return err
	}
	if now.of == c.Partitions && !now.draining && len(old) == c.Partitions {
		return nil // another process has changed it
	}
	if !now.draining {
		for _, s := range old {
			if err := drainable(ctx, s); err != nil {
				return fmt.Errorf("JetStream has %d partitions and --jetstream-partitions is %d: %w", now.of, c.Partitions, err)
			}
		}
	}
	for _, s := range old {
		closed := s.CachedInfo().Config
		for i, subject := range closed.Subjects { // an interrupted change may have left partitions of both numbers
			closed.Subjects[i] = drainPrefix + strings.TrimPrefix(subject, drainPrefix)
		}
		if _, err := js.UpdateStream(ctx, closed); err != nil {
			return fmt.Errorf("close JetStream stream %s: %w", closed.Name, err)
		}
	}
	if !backoff.Sleep(ctx, settleTime) {
		return context.Cause(ctx)
	}
	last := uint64(0)
	for _, s := range old {
		info, err := s.Info(ctx)
		if err != nil {
			return fmt.Errorf("JetStream stream %s: %w", s.CachedInfo().Config.Name, err)
		}
		if !strings.HasPrefix(info.Config.Subjects[0], drainPrefix) {
			return fmt.Errorf("another server opened JetStream stream %s again while the number of partitions changed from %d to %d: "+
				"give all servers the same --jetstream-partitions", info.Config.Name, now.of, c.Partitions)
		}
		last = max(last, info.State.LastSeq)
		if err := allStored(ctx, s); err != nil {
			return fmt.Errorf("the number of partitions changes from %d to %d once the sinks have stored the blocks in JetStream stream %s, "+
				"and recorders spool meanwhile: see that a sink runs: %w", now.of, c.Partitions, info.Config.Name, err)
		}
	}
	return replacePartitions(ctx, js, c, old, last+1)
}

// replacePartitions replaces closed partitions, whose messages are stored, by new ones that begin at
// a sequence. The first partition, which states the layout, is opened last.
func replacePartitions(ctx context.Context, js jetstream.JetStream, c Config, old []jetstream.Stream, next uint64) error {
	if err := old[0].Purge(ctx, jetstream.WithPurgeSequence(next)); err != nil {
		return fmt.Errorf("remove stored blocks: %w", err)
	}
	for i := len(old) - 1; i > 0; i-- {
		if err := js.DeleteStream(ctx, PartitionName(i)); err != nil {
			return fmt.Errorf("remove JetStream stream %s: %w", PartitionName(i), err)
		}
	}
	// JetStream reserves the limits of all streams, so the first one is reduced to its share before
	// others are created.
	if reduced := old[0].CachedInfo().Config; reduced.MaxBytes > c.partition(0).MaxBytes {
		reduced.MaxBytes = c.partition(0).MaxBytes
		if _, err := js.UpdateStream(ctx, reduced); err != nil {
			return fmt.Errorf("reduce JetStream stream %s to %d bytes: %w", StreamName, reduced.MaxBytes, err)
		}
	}
	for i := 1; i < c.Partitions; i++ {
		config := c.partition(i)
		config.FirstSeq = next
		if _, err := js.CreateStream(ctx, config); err != nil {
			return fmt.Errorf("create JetStream stream %s: %w", config.Name, err)
		}
	}
	config := c.partition(0)
	config.FirstSeq = old[0].CachedInfo().Config.FirstSeq // JetStream does not change it
	config.PersistMode = old[0].CachedInfo().Config.PersistMode
	if _, err := js.UpdateStream(ctx, config); err != nil {
		return fmt.Errorf("open JetStream stream %s: %w", StreamName, err)
	}
	return nil
}

// drainable returns an error unless the sinks have stored the messages of a partition, or will have
// done so soon.
func drainable(ctx context.Context, s jetstream.Stream) error {
	notStored := allStored(ctx, s)
	if !errors.Is(notStored, ErrNotEmpty) {
		return notStored
	}
	sinks, err := sinkConsumers(ctx, s)
	if err != nil {
		return err
	}
	for _, c := range sinks {
		if c.NumWaiting > 0 && c.NumPending+uint64(c.NumAckPending) < mostDrained {
			return nil
		}
	}
	return fmt.Errorf("%w: run sinks until they have stored nearly all of them, or set --jetstream-partitions as it was", notStored)
}

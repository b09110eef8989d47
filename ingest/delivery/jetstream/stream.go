// Package jetstream transports blocks through JetStream. It manages the stream of blocks, and its
// Publisher publishes blocks to the stream.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/lifecycle/change"
)

const (
	// StreamName is the JetStream stream of blocks, or of their first partition.
	StreamName = "TAPEDECK"
	// DeadName is the JetStream stream of blocks that could not be stored. The header HeaderReason
	// of each holds the reason.
	DeadName = "TAPEDECK_DEAD"
	// DeadSubject is the subject of blocks that could not be stored.
	DeadSubject = "tapedeck.dead"

	HeaderReason  = "Tapedeck-Reason"
	HeaderSubject = "Tapedeck-Subject" // of a dead block: the subject on which it is published again
	// HeaderSince of a dead block that was retried is the time at which it was set aside, RFC 3339;
	// HeaderTries is the number of retries.
	HeaderSince = "Tapedeck-Since"
	HeaderTries = "Tapedeck-Tries"
	// HeaderTriedBy of a dead block lists the program versions that could not store it, the latest
	// last.
	HeaderTriedBy = "Tapedeck-Tried-By"
)

// Config bounds what JetStream stores.
type Config struct {
	MaxBytes int64 // of all partitions; default 16 GiB
	// Partitions is the number of JetStream streams of blocks; default 1.
	Partitions int
	Keep       time.Duration // how long stored blocks stay in the stream; default 1 h
	Replicas   int           // default 1
	Dedup      time.Duration // how long JetStream remembers message ids; default 2 min
	// Durability defines what JetStream's acknowledgement means; default Written.
	Durability Durability
	// Recreate allows EnsureStreams to recreate the stream if its durability changes from or to
	// Memory, which JetStream cannot change in place. The stream is recreated only if all of its
	// blocks are stored. Local mode sets Recreate, because it publishes nothing before the streams
	// exist.
	Recreate bool
}

// WithDefaults returns the configuration with the defaults filled in.
func (c Config) WithDefaults() Config {
	if c.MaxBytes == 0 {
		c.MaxBytes = 16 << 30
	}
	if c.Partitions == 0 {
		c.Partitions = 1
	}
	if c.Keep == 0 {
		c.Keep = time.Hour
	}
	if c.Dedup == 0 {
		c.Dedup = dedupWindow
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Durability == "" {
		c.Durability = Written
	}
	return c
}

// dedupWindow is the default of Config.Dedup. Deduplication saves work when a block is sent again;
// correctness does not depend on it.
const dedupWindow = 2 * time.Minute

// partition returns the configuration of the stream of a partition.
func (c Config) partition(index int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: PartitionName(index), Description: "tapedeck: blocks for ClickHouse and the live tail",
		Subjects: []string{layout{of: c.Partitions}.partition(index).Prefix() + ">"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: c.MaxBytes / int64(c.Partitions), Duplicates: c.Dedup, Replicas: c.Replicas, AllowDirect: true,
		PersistMode: c.Durability.persistMode(),
	}
}

// EnsureStreams creates the streams or updates their settings, and returns the stream of the first
// partition. A full stream refuses new blocks and never drops old ones. Blocks are removed only
// after the sink has stored them, or when their session is deleted. The error is ErrPartitions if
// Repartition is needed.
func EnsureStreams(ctx context.Context, js jetstream.JetStream, c Config) (jetstream.Stream, error) {
	c = c.WithDefaults()
	if err := samePartitions(ctx, js, c); err != nil {
		return nil, err
	}
	var s jetstream.Stream
	for i := c.Partitions - 1; i >= 0; i-- { // the first one states the layout, so it is created last
		var err error
		if s, err = ensureBlocks(ctx, js, c, c.partition(i)); err != nil {
			return nil, fmt.Errorf("create JetStream stream %s: %w", PartitionName(i), err)
		}
	}
	if _, _, err := EnsureDead(ctx, js, c); err != nil {
		return nil, err
	}
	if err := change.EnsureStream(ctx, js, c.Replicas); err != nil {
		return nil, err
	}
	return s, nil
}

// samePartitions returns ErrPartitions if the streams that exist are not the partitions of the
// configuration.
func samePartitions(ctx context.Context, js jetstream.JetStream, c Config) error {
	first, err := js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	now, err := layoutOf(first)
	if err != nil {
		return err
	}
	_, err = js.Stream(ctx, PartitionName(c.Partitions)) // another version may have left it
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("JetStream stream %s: %w", PartitionName(c.Partitions), err)
	}
	if now.of != c.Partitions || now.draining || err == nil {
		return fmt.Errorf("JetStream has %d partitions and --jetstream-partitions is %d: %w", now.of, c.Partitions, ErrPartitions)
	}
	return nil
}

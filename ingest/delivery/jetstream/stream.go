// Package jetstream transports blocks through JetStream. It manages the stream of blocks, and its
// Publisher publishes blocks to the stream.
package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/schema/lifecycle/change"
)

const (
	// StreamName is the JetStream stream of blocks.
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
	MaxBytes int64         // default 16 GiB
	Keep     time.Duration // how long stored blocks stay in the stream; default 1 h
	Replicas int           // default 1
	Dedup    time.Duration // how long JetStream remembers message ids; default 2 min
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

// EnsureStreams creates the streams or updates their settings. A full stream refuses new blocks and
// never drops old ones. Blocks are removed only after the sink has stored them, or when their
// session is deleted.
func EnsureStreams(ctx context.Context, js jetstream.JetStream, c Config) (jetstream.Stream, error) {
	c = c.WithDefaults()
	s, err := ensureBlocks(ctx, js, c, jetstream.StreamConfig{
		Name: StreamName, Description: "tapedeck: blocks for ClickHouse and the live tail",
		Subjects: []string{ingest.SubjectPrefix + ">"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: c.MaxBytes, Duplicates: c.Dedup, Replicas: c.Replicas, AllowDirect: true,
		PersistMode: c.Durability.persistMode(),
	})
	if err != nil {
		return nil, fmt.Errorf("create JetStream stream %s: %w", StreamName, err)
	}
	if _, _, err := EnsureDead(ctx, js, c); err != nil {
		return nil, err
	}
	if err := change.EnsureStream(ctx, js, c.Replicas); err != nil {
		return nil, err
	}
	return s, nil
}

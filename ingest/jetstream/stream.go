// Package jetstream is how blocks travel: the JetStream stream that holds them,
// and the Publisher that puts them there.
package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
)

const (
	// StreamName is the JetStream stream that blocks travel through.
	StreamName = "TAPEDECK"
	// DeadName is the stream of blocks that could not be stored, each with the
	// reason in the header HeaderReason.
	DeadName = "TAPEDECK_DEAD"
	// DeadSubject is where such blocks are put.
	DeadSubject = "tapedeck.dead"

	HeaderReason  = "Tapedeck-Reason"
	HeaderSubject = "Tapedeck-Subject" // of a dead block: where it is published again
	// Of a dead block that was retried: when it was set aside, RFC 3339, and how often
	// it was retried.
	HeaderSince = "Tapedeck-Since"
	HeaderTries = "Tapedeck-Tries"
	// Of a dead block: the program versions that could not store it, the latest last.
	HeaderTriedBy = "Tapedeck-Tried-By"
)

// Config bounds what JetStream keeps.
type Config struct {
	MaxBytes int64         // default 16 GiB
	Keep     time.Duration // how long blocks stay that the sink has; default 1 h
	Replicas int           // default 1
	// Durability is what JetStream's acknowledgement means; default Written.
	Durability Durability
	// Recreate allows the stream to be made anew when its Durability changes
	// from or to Memory, which JetStream does not change in place, and all in it
	// is stored: for local mode, where nobody publishes before the streams are
	// there.
	Recreate bool
}

// WithDefaults fills in the defaults.
func (c Config) WithDefaults() Config {
	if c.MaxBytes == 0 {
		c.MaxBytes = 16 << 30
	}
	if c.Keep == 0 {
		c.Keep = time.Hour
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Durability == "" {
		c.Durability = Written
	}
	return c
}

// dedupWindow is how long JetStream remembers message ids. It saves work when a
// block is sent again; nothing rests on it.
const dedupWindow = 2 * time.Minute

// EnsureStreams creates the streams or brings their settings up to date. A full
// stream refuses new blocks and never drops old ones: what the sink has stored
// is removed by Trim, and nothing else is.
func EnsureStreams(ctx context.Context, js jetstream.JetStream, c Config) (jetstream.Stream, error) {
	c = c.WithDefaults()
	s, err := ensureBlocks(ctx, js, c, jetstream.StreamConfig{
		Name: StreamName, Description: "tapedeck: blocks on their way to ClickHouse, and the live tail",
		Subjects: []string{ingest.SubjectPrefix + ">"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxBytes: c.MaxBytes, Duplicates: dedupWindow, Replicas: c.Replicas, AllowDirect: true,
		PersistMode: c.Durability.persistMode(),
	})
	if err != nil {
		return nil, fmt.Errorf("create JetStream stream %s: %w", StreamName, err)
	}
	if _, _, err := EnsureDead(ctx, js, c); err != nil {
		return nil, err
	}
	return s, nil
}

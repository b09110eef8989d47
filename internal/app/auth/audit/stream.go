package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
)

const (
	// StreamName is the JetStream stream of entries that are not in ClickHouse yet.
	StreamName = "TAPEDECK_AUDIT"
	// Subject is the subject of its messages: JSON arrays of entries.
	Subject = "tapedeck.audit"

	// streamBytes is the size of the stream. A full stream refuses entries and drops none. If
	// JetStream has no room for it, the stream is smaller, down to smallestStream.
	streamBytes    = 64 << 20
	smallestStream = 1 << 20
)

// ensure creates the stream once.
func (l *Log) ensure(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready {
		return nil
	}
	if _, err := EnsureStream(ctx, l.js, l.opts.Replicas); err != nil {
		return err
	}
	l.ready = true
	return nil
}

// EnsureStream returns the stream, and creates it if it does not exist.
func EnsureStream(ctx context.Context, js jetstream.JetStream, replicas int) (jetstream.Stream, error) {
	s, err := js.Stream(ctx, StreamName)
	if err == nil && s.CachedInfo().Config.Replicas == max(replicas, 1) {
		return s, nil
	}
	for bytes := int64(streamBytes); ; bytes /= 2 {
		s, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: StreamName, Description: "tapedeck: entries of the audit log for ClickHouse", Subjects: []string{Subject},
			Storage: jetstream.FileStorage, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
			MaxBytes: bytes, Duplicates: 2 * time.Minute, Replicas: max(replicas, 1),
		})
		if err == nil {
			return s, nil
		}
		if bytes <= smallestStream || !stream.IsStorageFull(err) {
			return nil, fmt.Errorf("create JetStream stream %s of %d bytes: %w", StreamName, bytes, err)
		}
	}
}

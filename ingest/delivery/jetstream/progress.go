package jetstream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Progress is how far the sinks have stored one partition: the sequence of the last message, and the
// sequence up to which all messages are stored.
type Progress struct{ Last, Stored uint64 }

// ReadProgress returns a function that queries JetStream for the progress of all partitions. It
// queries the last sequences before the stored ones. The caller keeps ownership of the connection.
func ReadProgress(nc *nats.Conn, consumer string) (func(context.Context) ([]Progress, error), error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("progress of the sink: JetStream: %w", err)
	}
	return func(ctx context.Context) ([]Progress, error) {
		partitions, err := Partitions(ctx, js)
		if err != nil {
			return nil, err
		}
		progress := make([]Progress, len(partitions))
		for i, s := range partitions {
			if progress[i], err = progressOf(ctx, s, consumer); err != nil {
				return nil, err
			}
		}
		return progress, nil
	}, nil
}

func progressOf(ctx context.Context, s jetstream.Stream, consumer string) (Progress, error) {
	last := s.CachedInfo().State.LastSeq
	c, err := s.Consumer(ctx, consumer)
	if err != nil {
		return Progress{}, fmt.Errorf("JetStream consumer %s: %w", consumer, err)
	}
	info := c.CachedInfo()
	drained, err := Drained(ctx, s, info, last)
	if err != nil {
		return Progress{}, err
	}
	if drained {
		return Progress{last, last}, nil // the acknowledgement floor may lag behind removed messages
	}
	return Progress{last, info.AckFloor.Stream}, nil
}

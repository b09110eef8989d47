package backup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
)

// drainEvery is the interval at which drain reads the state of the sink's consumer.
const drainEvery = 100 * time.Millisecond

// acknowledged returns the sequences of the last messages of the partitions.
func acknowledged(ctx context.Context, nc *nats.Conn) ([]uint64, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	partitions, err := stream.Partitions(ctx, js)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	last := make([]uint64, len(partitions))
	for i, s := range partitions {
		last[i] = s.CachedInfo().State.LastSeq
	}
	return last, nil
}

// drain waits until the sink has stored all messages up to the sequences of the partitions, for at
// most a limit, and returns the coverage at that time.
func drain(ctx context.Context, nc *nats.Conn, last []uint64, limit time.Duration) (Coverage, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return Coverage{}, fmt.Errorf("JetStream: %w", err)
	}
	until := time.Now().Add(limit)
	for {
		c, err := covered(ctx, js, last)
		if err != nil || c.Unstored == 0 || !time.Now().Before(until) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-time.After(drainEvery):
		}
	}
}

// covered returns which of the messages up to the sequences are stored at present. If the number of
// partitions has changed since, all of them are.
func covered(ctx context.Context, js jetstream.JetStream, last []uint64) (all Coverage, err error) {
	if len(last) == 0 {
		return all, nil
	}
	partitions, err := stream.Partitions(ctx, js)
	if err != nil {
		return all, err
	}
	for i, upTo := range last {
		c := Coverage{Acknowledged: upTo, Stored: upTo}
		if len(partitions) == len(last) {
			if c, err = coveredOf(ctx, partitions[i], upTo); err != nil {
				return all, err
			}
		}
		all.Acknowledged, all.Stored, all.Unstored = all.Acknowledged+c.Acknowledged, all.Stored+c.Stored, all.Unstored+c.Unstored
	}
	return all, nil
}

// coveredOf implements covered for a partition.
func coveredOf(ctx context.Context, s jetstream.Stream, last uint64) (Coverage, error) {
	c := Coverage{Acknowledged: last}
	if last == 0 {
		return c, nil
	}
	consumer, err := s.Consumer(ctx, sink.ConsumerName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		c.Unstored = last // no sink has run yet
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("JetStream consumer %s: %w", sink.ConsumerName, err)
	}
	info := consumer.CachedInfo()
	c.Stored = info.AckFloor.Stream
	drained, err := stream.Drained(ctx, s, info, last)
	if err != nil {
		return c, err
	}
	if drained {
		c.Stored = max(c.Stored, last)
	}
	if c.Stored < last {
		c.Unstored = last - c.Stored
	}
	return c, nil
}

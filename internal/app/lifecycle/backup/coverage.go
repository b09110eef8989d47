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

// acknowledged returns the sequence of the last message in the stream of blocks.
func acknowledged(ctx context.Context, nc *nats.Conn) (uint64, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, fmt.Errorf("JetStream: %w", err)
	}
	s, err := js.Stream(ctx, stream.StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("JetStream stream %s: %w", stream.StreamName, err)
	}
	return s.CachedInfo().State.LastSeq, nil
}

// drain waits until the sink has stored all messages up to a sequence, for at most a limit, and
// returns the coverage at that time.
func drain(ctx context.Context, nc *nats.Conn, last uint64, limit time.Duration) (Coverage, error) {
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

// covered returns which of the messages up to a sequence are stored at present.
func covered(ctx context.Context, js jetstream.JetStream, last uint64) (Coverage, error) {
	c := Coverage{Acknowledged: last}
	if last == 0 {
		return c, nil
	}
	consumer, err := js.Consumer(ctx, stream.StreamName, sink.ConsumerName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		c.Unstored = last // no sink has run yet
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("JetStream consumer %s: %w", sink.ConsumerName, err)
	}
	info := consumer.CachedInfo()
	c.Stored = info.AckFloor.Stream
	if info.NumPending == 0 && info.NumAckPending == 0 {
		c.Stored = max(c.Stored, last)
	}
	if c.Stored < last {
		c.Unstored = last - c.Stored
	}
	return c, nil
}

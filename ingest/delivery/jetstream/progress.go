package jetstream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Progress returns a function that queries JetStream for the sequence of the last block, and then
// for the sequence up to which the sinks' consumer has acknowledged all messages. The caller keeps
// ownership of the connection.
func Progress(nc *nats.Conn, consumer string) (func(context.Context) (last, stored uint64, err error), error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("progress of the sink: JetStream: %w", err)
	}
	return func(ctx context.Context) (last, stored uint64, err error) {
		s, err := js.Stream(ctx, StreamName)
		if err != nil {
			return 0, 0, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
		}
		last = s.CachedInfo().State.LastSeq
		c, err := s.Consumer(ctx, consumer)
		if err != nil {
			return 0, 0, fmt.Errorf("JetStream consumer %s: %w", consumer, err)
		}
		info := c.CachedInfo()
		if info.NumPending == 0 && info.NumAckPending == 0 {
			return last, last, nil // the acknowledgement floor may lag behind removed messages
		}
		return last, info.AckFloor.Stream, nil
	}, nil
}

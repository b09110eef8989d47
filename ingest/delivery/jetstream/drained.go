package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Drained reports whether a consumer has acknowledged all messages of a stream up to the sequence last.
//
// A server counts a consumer's pending messages after it has acknowledged their publishing, so a count of
// 0 may be too early. A consumer that was sent less than last has all messages only if the others were
// removed from the stream.
func Drained(ctx context.Context, s jetstream.Stream, c *jetstream.ConsumerInfo, last uint64) (bool, error) {
	if c.NumPending > 0 || c.NumAckPending > 0 {
		return false, nil
	}
	if c.Delivered.Stream >= last {
		return true, nil
	}
	next, err := s.GetMsg(ctx, c.Delivered.Stream+1, jetstream.WithGetMsgSubject(">")) // the first from there on
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("message after %d of the JetStream stream %s: %w", c.Delivered.Stream, s.CachedInfo().Config.Name, err)
	}
	return next.Sequence > last, nil
}

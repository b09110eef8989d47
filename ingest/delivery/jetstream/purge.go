package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// ImportID is the prefix of the ids of blocks that an import publishes. The id of the import, a
// UUIDv7, follows the prefix.
const ImportID = "import-"

// purgeBatch is the number of messages that are fetched in one request.
const purgeBatch = 512

// Purge removes a deleted session's own messages from JetStream. It removes all messages before the
// first one that the tombstone does not cover, since a new recording with the same session name may
// have begun. Blocks in bundles stay until the bundle is trimmed; sinks do not store them, and
// readers do not return them.
func Purge(ctx context.Context, js jetstream.JetStream, t *tombstone.Tombstone) error {
	name, filters, err := NewLayout(js).Locate(ctx, t.Tenant, t.Session)
	if err != nil {
		return err
	}
	s, err := js.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("JetStream stream %s: %w", name, err)
	}
	subject := filters[0]
	last, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("last block on %s: %w", subject, err)
	}
	upTo, err := coveredUpTo(ctx, s, t, subject, last.Sequence)
	if err != nil || upTo == 0 {
		return err
	}
	if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(upTo+1)); err != nil {
		return fmt.Errorf("purge %s: %w", subject, err)
	}
	return nil
}

// coveredUpTo returns the sequence of the last message before the first one that the tombstone does
// not cover, at most last. It returns 0 if there is no such message.
func coveredUpTo(
	ctx context.Context, s jetstream.Stream, t *tombstone.Tombstone, subject string, last uint64,
) (uint64, error) {
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverAllPolicy, HeadersOnly: true,
	})
	if err != nil {
		return 0, fmt.Errorf("blocks on %s: %w", subject, err)
	}
	var upTo uint64
	for upTo < last {
		batch, err := c.FetchNoWait(purgeBatch)
		if err != nil {
			return 0, fmt.Errorf("blocks on %s: %w", subject, err)
		}
		before := upTo
		ended := false
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return 0, fmt.Errorf("blocks on %s: %w", subject, err)
			}
			if ended = ended || meta.Sequence.Stream > last || !covers(t, m.Headers().Get(jetstream.MsgIDHeader)); !ended {
				upTo = meta.Sequence.Stream
			}
		}
		if err := batch.Error(); err != nil {
			return 0, fmt.Errorf("blocks on %s: %w", subject, err)
		}
		if ended || upTo == before {
			break
		}
	}
	return upTo, ctx.Err()
}

// covers reports whether a tombstone covers the block with a message id. The message id begins with
// the id of the block's stream or of its import.
func covers(t *tombstone.Tombstone, id string) bool {
	if run, ok := strings.CutPrefix(id, ImportID); ok {
		return len(run) >= streamIDSize && run[:streamIDSize] <= t.Until
	}
	if len(id) < streamIDSize {
		return false
	}
	if _, err := schema.StreamStarted(id[:streamIDSize]); err != nil {
		return false
	}
	return t.Covers(id[:streamIDSize])
}

// streamIDSize is the length of a stream's id in text form.
const streamIDSize = 36

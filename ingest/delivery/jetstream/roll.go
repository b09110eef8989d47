package jetstream

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// largestFile is the size at which a NATS server begins another file of a stream
// (FileStoreMaxBlkSize), bytes.
const largestFile = 8 << 20

// fillerSize is the size of one filler message, bytes. It is below the default max_payload of
// servers.
const fillerSize = 512 << 10

// Roll publishes filler messages on a subject of a stream until the current file of the stream is
// full, and returns the sequence of the last filler. A removed message leaves its bytes in its
// file: the server deletes a file only when all of its messages are removed and it is not the
// current file.
func Roll(ctx context.Context, js jetstream.JetStream, subject string) (last uint64, err error) {
	data := make([]byte, min(fillerSize, max(1024, js.Conn().MaxPayload()-1024)))
	_, _ = rand.Read(data) // never fails; random bytes fill a compressed file as well
	for sent := 0; sent <= largestFile; sent += len(data) {
		ack, err := js.Publish(ctx, subject, data)
		if err != nil {
			return 0, fmt.Errorf("begin a new file of the JetStream stream with %s: %w", subject, err)
		}
		last = ack.Sequence
	}
	return last, nil
}

// RemoveStored removes all messages up to a sequence from the stream of blocks. It removes nothing,
// and returns the reason in waits, while the sink has not stored all of them or the last one is
// younger than grace. Live readers that have not read removed blocks read them from ClickHouse.
func RemoveStored(
	ctx context.Context, js jetstream.JetStream, consumer string, upTo uint64, grace time.Duration,
) (waits string, err error) {
	s, err := js.Stream(ctx, StreamName)
	if err != nil {
		return "", fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	if s.CachedInfo().State.FirstSeq > upTo {
		return "", nil
	}
	c, err := s.Consumer(ctx, consumer)
	if err != nil {
		return "", fmt.Errorf("consumer %s: %w", consumer, err)
	}
	if floor := c.CachedInfo().AckFloor.Stream; floor < upTo {
		return fmt.Sprintf("the sink has not stored %d of the blocks in JetStream", upTo-floor), nil
	}
	m, err := s.GetMsg(ctx, upTo)
	if err == nil && time.Since(m.Time) < grace {
		return "live readers that receive blocks at this moment", nil
	}
	if err := s.Purge(ctx, jetstream.WithPurgeSequence(upTo+1)); err != nil {
		return "", fmt.Errorf("remove blocks up to %d: %w", upTo, err)
	}
	return "", nil
}

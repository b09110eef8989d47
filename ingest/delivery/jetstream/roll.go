package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
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
// full, and returns the sequence of the last filler. A filler has at most most bytes, but at least
// 1024. Roll calls published with the sequence of each filler. A removed message leaves its bytes in
// its file: the server deletes a file only when all of its messages are removed and it is not the
// current file.
func Roll(
	ctx context.Context, js jetstream.JetStream, subject string, most int64, published func(sequence uint64) error,
) (last uint64, err error) {
	data := make([]byte, min(fillerSize, max(1024, min(most, js.Conn().MaxPayload()-1024))))
	_, _ = rand.Read(data) // never fails; random bytes fill a compressed file as well
	for sent := 0; sent <= largestFile; sent += len(data) {
		ack, err := js.Publish(ctx, subject, data)
		if err == nil {
			last = ack.Sequence
			err = published(last)
		}
		if err != nil {
			return 0, fmt.Errorf("begin a new file of the JetStream stream with %s: %w", subject, err)
		}
	}
	return last, nil
}

// RollBlocks calls Roll for each partition, and returns the sequences of the last fillers.
func RollBlocks(ctx context.Context, js jetstream.JetStream) ([]uint64, error) {
	of, err := readLayout(ctx, js)
	if err != nil {
		return nil, err
	}
	last := make([]uint64, of)
	for i := range last {
		subject := layout{of: of}.partition(i).Filler()
		if last[i], err = Roll(ctx, js, subject, fillerSize, func(uint64) error { return nil }); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// ErrNewBlocks reports a stream of blocks that has not reached a sequence that it had before: it was
// made anew, or restored from an older copy.
var ErrNewBlocks = errors.New("the JetStream stream of blocks was replaced")

// RemoveStored removes all messages up to a sequence of each partition. It removes nothing of a
// partition, and returns the reason in waits, while the sink has not stored all of them or the last
// one is younger than grace. Live readers that have not read removed blocks read them from
// ClickHouse. Partitions of another number, see Repartition, have none of these messages. The error is
// ErrNewBlocks if a partition has another content since it was lost: its blocks then need another Roll.
func RemoveStored(
	ctx context.Context, js jetstream.JetStream, consumer string, upTo []uint64, grace time.Duration,
) (waits string, err error) {
	partitions, err := Partitions(ctx, js)
	if err != nil {
		return "", err
	}
	for i := range min(len(upTo), len(partitions)) {
		why, err := removeStored(ctx, partitions[i], consumer, upTo[i], grace)
		if err != nil {
			return "", err
		}
		waits = cmp.Or(waits, why)
	}
	return waits, nil
}

// removeStored implements RemoveStored for a partition.
func removeStored(ctx context.Context, s jetstream.Stream, consumer string, upTo uint64, grace time.Duration) (waits string, err error) {
	state := s.CachedInfo().State
	if state.FirstSeq > upTo {
		return "", nil
	}
	if state.LastSeq < upTo {
		return "", fmt.Errorf("remove blocks up to %d of a stream that ends at %d: %w", upTo, state.LastSeq, ErrNewBlocks)
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

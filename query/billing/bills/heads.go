package bills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Heads stores the last committed bill of each tenant. Replacing it closes the period.
type Heads interface {
	// Head returns the last committed bill, or nil if there is none, and its revision.
	Head(ctx context.Context, tenant string) (*Bill, uint64, error)
	// Commit makes a bill the last one. It returns ErrOvertaken if the revision is no longer the
	// current one. After any other error the bill may still have been committed.
	Commit(ctx context.Context, tenant string, b *Bill, revision uint64) error
}

// ErrOvertaken is returned by Commit if another bill was committed first.
var ErrOvertaken = errors.New("another bill of the tenant was closed at the same time")

// HeadsBucket is the key-value bucket of KeyValueHeads.
const HeadsBucket = "TAPEDECK_BILLS"

// maxHead bounds the size of a bill in the bucket: servers accept messages of up to 1 MiB.
const maxHead = 900 << 10

// KeyValueHeads keeps heads in a key-value bucket of JetStream.
type KeyValueHeads struct {
	NATS     *nats.Conn
	Replicas int // of the bucket; 0 means 1
}

func (k KeyValueHeads) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	js, err := jetstream.New(k.NATS)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: HeadsBucket, Description: "tapedeck: the last bill of each tenant",
		Storage: jetstream.FileStorage, Replicas: k.Replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", HeadsBucket, err)
	}
	return kv, nil
}

// headKey returns the key of a tenant. It encodes the name, since tenant names may contain
// characters that are not valid in keys.
func headKey(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:16])
}

// Head implements Heads.
func (k KeyValueHeads) Head(ctx context.Context, tenant string) (*Bill, uint64, error) {
	kv, err := k.bucket(ctx)
	if err != nil {
		return nil, 0, err
	}
	entry, err := kv.Get(ctx, headKey(tenant))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the last bill in %s: %w", HeadsBucket, err)
	}
	b := &Bill{}
	text, err := unpacker.DecodeAll(entry.Value(), nil)
	if err == nil {
		err = json.Unmarshal(text, b)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the last bill in %s: %w", HeadsBucket, err)
	}
	return b, entry.Revision(), nil
}

// Commit implements Heads.
func (k KeyValueHeads) Commit(ctx context.Context, tenant string, b *Bill, revision uint64) error {
	text, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("write bill %s: %w", b.Number, err)
	}
	value := packer.EncodeAll(text, nil)
	if len(value) > maxHead {
		return fmt.Errorf("bill %s has %d lines, which do not fit into a message (%d bytes, at most %d)", b.Number,
			len(b.Lines), len(value), maxHead)
	}
	kv, err := k.bucket(ctx)
	if err != nil {
		return err
	}
	if revision == 0 {
		_, err = kv.Create(ctx, headKey(tenant), value)
	} else {
		_, err = kv.Update(ctx, headKey(tenant), value, revision)
	}
	var refused *jetstream.APIError
	if errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return ErrOvertaken
	}
	if err != nil {
		return fmt.Errorf("commit bill %s in %s: %w", b.Number, HeadsBucket, err)
	}
	return nil
}

// The encoder and the decoder are safe for use by many goroutines.
var (
	packer, _   = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	unpacker, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
)

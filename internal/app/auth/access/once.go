package access

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Once stores values that one request on any server may take once, within a time limit. If there
// are too many values, a new one replaces the oldest one, so that unauthenticated requests cannot
// prevent others from storing values.
type Once struct {
	js     jetstream.JetStream
	bucket string
	prefix string // prefix of the texts
	config jetstream.StreamConfig
	life   time.Duration

	mu sync.Mutex // guards kv
	kv jetstream.KeyValue
}

// OnceOptions configure a Once.
type OnceOptions struct {
	NATS     *nats.Conn
	Bucket   string
	Prefix   string // prefix of the texts
	Replicas int
	Life     time.Duration // of a value; older values are removed
	Most     int64         // maximum number of values
}

// ErrTaken is the error for a text whose value was taken, has expired, or never existed.
var ErrTaken = errors.New("used, too old or unknown")

// NewOnce returns a Once. Its bucket is created at the first use.
func NewOnce(o OnceOptions) (*Once, error) {
	js, err := jetstream.New(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("%s: JetStream: %w", o.Bucket, err)
	}
	return &Once{js: js, bucket: o.Bucket, prefix: o.Prefix, life: o.Life, config: jetstream.StreamConfig{
		// The configuration equals that of jetstream.KeyValueConfig, except that a full bucket
		// drops its oldest entry, and that entries are read from the leader, since an entry is read
		// right after it was written.
		Name: "KV_" + o.Bucket, Subjects: []string{"$KV." + o.Bucket + ".>"}, MaxMsgsPerSubject: 1, MaxMsgs: o.Most, MaxAge: o.Life,
		Discard: jetstream.DiscardOld, AllowRollup: true, DenyDelete: true, MaxMsgSize: 16 << 10,
		Storage: jetstream.FileStorage, Replicas: max(o.Replicas, 1), Duplicates: min(o.Life, 2*time.Minute),
	}}, nil
}

// open returns the bucket, and creates it if it does not exist.
func (o *Once) open(ctx context.Context) (jetstream.KeyValue, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kv != nil {
		return o.kv, nil
	}
	if _, err := o.js.CreateOrUpdateStream(ctx, o.config); err != nil {
		return nil, fmt.Errorf("make the bucket %s: %w", o.bucket, err)
	}
	kv, err := o.js.KeyValue(ctx, o.bucket)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s: %w", o.bucket, err)
	}
	o.kv = kv
	return kv, nil
}

// again forgets the bucket if it was deleted, so that the next request creates it.
func (o *Once) again(err error) {
	if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, nats.ErrNoResponders) {
		o.mu.Lock()
		o.kv = nil
		o.mu.Unlock()
	}
}

// timed is a value with its expiry, since the bucket may remove the value later.
type timed struct {
	Until time.Time       `json:"until"`
	Value json.RawMessage `json:"value"`
}

// Put stores a value and returns the text for taking it, and until when it can be taken.
func (o *Once) Put(ctx context.Context, value any) (text string, until time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	kv, err := o.open(ctx)
	if err != nil {
		return "", until, err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return "", until, err
	}
	until = time.Now().Add(o.life).UTC()
	entry, err := json.Marshal(timed{until, raw})
	if err != nil {
		return "", until, err
	}
	text = newText(o.prefix)
	if _, err := kv.Create(ctx, keyOf(text), entry); err != nil {
		o.again(err)
		return "", until, fmt.Errorf("write to %s: %w", o.bucket, err)
	}
	return text, until, nil
}

// Take reads the value of a text and removes it. Of several concurrent requests for the value, one
// succeeds; the others receive ErrTaken.
func (o *Once) Take(ctx context.Context, text string, value any) error {
	if checkText(o.prefix, text) != nil {
		return ErrTaken
	}
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	kv, err := o.open(ctx)
	if err != nil {
		return err
	}
	entry, err := kv.Get(ctx, keyOf(text))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return ErrTaken
	}
	if err == nil {
		err = kv.Delete(ctx, keyOf(text), jetstream.LastRevision(entry.Revision()))
	}
	if isStale(err) {
		return ErrTaken
	}
	if err != nil {
		o.again(err)
		return fmt.Errorf("take from %s: %w", o.bucket, err)
	}
	var had timed
	if err := json.Unmarshal(entry.Value(), &had); err != nil {
		return fmt.Errorf("read an entry of %s: %w", o.bucket, err)
	}
	if !time.Now().Before(had.Until) {
		return ErrTaken
	}
	return json.Unmarshal(had.Value, value)
}

func keyOf(text string) string {
	d := digestOf(text)
	return hex.EncodeToString(d[:])
}

// Package lease ensures that one process at a time performs a piece of work. A lease is an entry of
// a JetStream bucket that expires.
package lease

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/backoff"
)

const (
	bucket = "TAPEDECK_WORK"
	room   = 64 << 10
	// life is how long a lease outlives its last renewal.
	life = 20 * time.Second
	// reserve is how long before the end of a lease its work is ended.
	reserve = 3 * time.Second

	renewEvery   = life / 4
	renewTimeout = 3 * time.Second // of one attempt
	retryEvery   = time.Second     // pause after a failed attempt
)

// errTaken reports that another process has the lease.
var errTaken = errors.New("another process has it")

// Hold runs work under a lease. It returns false if another process holds the lease. It renews the
// lease meanwhile, and tries again if NATS does not answer. The context of work ends shortly before
// the lease does. Hold returns errors of work, with the reason if the lease was lost.
func Hold(ctx context.Context, nc *nats.Conn, name, holder string, work func(context.Context) error) (bool, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return false, fmt.Errorf("JetStream: %w", err)
	}
	l := &lease{js: js, name: name, value: []byte(holder + " " + rand.Text())}
	began := time.Now()
	err = l.take(ctx)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lease %s in %s: %w", name, bucket, err)
	}
	working, lost := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := l.keep(working, began); err != nil {
			lost(fmt.Errorf("the lease %s in %s was not renewed: %w", name, bucket, err))
		}
	}()
	err = work(working)
	if err != nil && working.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", context.Cause(working), err)
	}
	lost(nil)
	<-done
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = l.kv.Delete(release, name, jetstream.LastRevision(l.revision)) // otherwise it expires
	return true, err
}

// lease is a lease of this process.
type lease struct {
	js       jetstream.JetStream
	kv       jetstream.KeyValue
	name     string
	value    []byte // differs from that of every other lease
	revision uint64
}

// take creates the entry. The error is jetstream.ErrKeyExists if it exists.
func (l *lease) take(ctx context.Context) (err error) {
	if l.kv, err = open(ctx, l.js); err != nil {
		return err
	}
	l.revision, err = l.kv.Create(ctx, l.name, l.value)
	return err
}

// open returns the bucket. It has as many replicas as the stream of blocks, or those that it has
// while NATS cannot add more.
func open(ctx context.Context, js jetstream.JetStream) (jetstream.KeyValue, error) {
	replicas, err := stream.Replicas(ctx, js)
	if err != nil {
		return nil, err
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucket, Description: "tapedeck: which process does work that one does at a time",
		TTL: life, Storage: jetstream.MemoryStorage, MaxBytes: room, Replicas: replicas,
	})
	if err == nil {
		return kv, nil
	}
	if existing, failed := js.KeyValue(ctx, bucket); failed == nil {
		return existing, nil
	}
	return nil, err
}

// keep renews the lease until ctx ends. kept is when it was taken. keep returns an error if the lease
// is lost, or about to end.
func (l *lease) keep(ctx context.Context, kept time.Time) error {
	for pause := renewEvery; backoff.Sleep(ctx, pause); {
		began, end := time.Now(), kept.Add(life-reserve)
		limited, cancel := context.WithTimeout(ctx, min(renewTimeout, time.Until(end)))
		err := l.renew(limited)
		cancel()
		switch {
		case err == nil:
			kept, pause = began, renewEvery
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errTaken) || time.Now().Add(retryEvery).After(end):
			return err
		default:
			pause = retryEvery
		}
	}
	return nil
}

// renew writes the entry again. If that fails it looks for the entry: the answer to an earlier attempt
// may have been lost, and NATS may have lost the bucket, which is in memory.
func (l *lease) renew(ctx context.Context) error {
	next, err := l.kv.Update(ctx, l.name, l.value, l.revision)
	if err == nil {
		l.revision = next
		return nil
	}
	found, err := l.kv.Get(ctx, l.name)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, nats.ErrNoResponders):
		return l.take(ctx)
	case err != nil:
		return err
	case !bytes.Equal(found.Value(), l.value):
		return errTaken
	}
	next, err = l.kv.Update(ctx, l.name, l.value, found.Revision())
	if err == nil {
		l.revision = next
	}
	return err
}

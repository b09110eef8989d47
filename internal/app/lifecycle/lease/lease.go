// Package lease ensures that one process at a time performs a piece of work. A lease is an entry of
// a JetStream bucket that expires.
package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	bucket = "TAPEDECK_WORK"
	room   = 64 << 10
	// life is how long a lease outlives its holder.
	life = 20 * time.Second
)

// Hold runs work under a lease. It returns false if another process holds the lease. It renews the
// lease meanwhile. The context of work ends when the lease cannot be renewed, and Hold returns
// errors of work.
func Hold(ctx context.Context, nc *nats.Conn, name, holder string, work func(context.Context) error) (bool, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return false, fmt.Errorf("JetStream: %w", err)
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucket, Description: "tapedeck: which process does work that one does at a time",
		TTL: life, Storage: jetstream.MemoryStorage, MaxBytes: room,
	})
	if err != nil {
		return false, fmt.Errorf("lease in %s: %w", bucket, err)
	}
	revision, err := kv.Create(ctx, name, []byte(holder))
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
		tick := time.NewTicker(life / 4)
		defer tick.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-tick.C:
			}
			next, err := kv.Update(working, name, []byte(holder), revision)
			if err != nil {
				lost(fmt.Errorf("the lease %s was not renewed: %w", name, err))
				return
			}
			revision = next
		}
	}()
	err = work(working)
	lost(nil)
	<-done
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = kv.Delete(release, name, jetstream.LastRevision(revision)) // otherwise it expires
	return true, err
}

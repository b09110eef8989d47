package tombstone

import (
	"context"
	"fmt"

	"tapedeck/internal/failpoint"
)

// Deleter deletes sessions. The first step writes the tombstone, which is the deletion. The steps
// may be interrupted anywhere, and the later steps may be repeated.
type Deleter struct {
	store *Store
	set   *Set
	// purge removes a session's messages from JetStream; nil for no purge.
	purge func(context.Context, *Tombstone) error
}

// The steps of a deletion, at which tests may interrupt it.
const (
	stepHidden  = "tombstone: hidden"  // the tombstone is written
	stepPurged  = "tombstone: purged"  // messages are removed from JetStream
	stepRemoved = "tombstone: removed" // rows are removed from ClickHouse
)

// NewDeleter returns a deleter. It adds tombstones to set, which may be nil. purge, which may be
// nil, removes the messages that a tombstone covers from JetStream.
func NewDeleter(store *Store, set *Set, purge func(context.Context, *Tombstone) error) *Deleter {
	return &Deleter{store: store, set: set, purge: purge}
}

// Delete deletes all streams of a session that began up to now.
func (d *Deleter) Delete(ctx context.Context, of Key) error {
	t, err := d.store.Put(ctx, of)
	if err != nil {
		return err
	}
	if d.set != nil {
		d.set.Add(t)
	}
	if err := failpoint.Reach(ctx, stepHidden); err != nil {
		return err
	}
	return d.Complete(ctx, t)
}

// Resume completes the deletion of a session; it returns false if there is none to complete.
func (d *Deleter) Resume(ctx context.Context, of Key) (bool, error) {
	t, err := d.store.Find(ctx, of)
	if err != nil || t == nil || t.Finished {
		return false, err
	}
	return true, d.Complete(ctx, t)
}

// Sweep completes a deletion that is unfinished, or whose rows are stored again.
func (d *Deleter) Sweep(ctx context.Context, t *Tombstone) error {
	// Streams may have been imported since the tombstone was read.
	t, err := d.store.Find(ctx, t.Key)
	if err != nil || t == nil || t.Erasure != "" && !t.Finished {
		return err // an erasure removes its data itself
	}
	if t.Finished {
		if stored, err := d.store.Stored(ctx, t); err != nil || !stored {
			return err
		}
	}
	return d.Complete(ctx, t)
}

// Complete removes the data that a tombstone covers from JetStream and ClickHouse.
func (d *Deleter) Complete(ctx context.Context, t *Tombstone) error {
	if d.purge != nil {
		if err := d.purge(ctx, t); err != nil {
			return fmt.Errorf("session %s is deleted, but JetStream still holds blocks of it; "+
				"delete it again to remove them: %w", t.Session, err)
		}
	}
	if err := failpoint.Reach(ctx, stepPurged); err != nil {
		return err
	}
	if err := d.store.Remove(ctx, t); err != nil {
		return fmt.Errorf("session %s is deleted, but still takes space; delete it again to free that: %w", t.Session,
			err)
	}
	return failpoint.Reach(ctx, stepRemoved)
}

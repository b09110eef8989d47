package access

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// probeEvery is how often a store compares its copy with the bucket's last change.
	probeEvery = 2 * time.Second
	// lagLimit is how long changes in the bucket may be missing from the copy before the store
	// reads the bucket again: the watch may have ended without an error.
	lagLimit = 5 * time.Second
	// natsTimeout bounds a request to NATS.
	natsTimeout = 5 * time.Second
	retryAfter  = 500 * time.Millisecond
)

// run maintains the copy until ctx ends.
func (s *Store) run(ctx context.Context) {
	defer close(s.done)
	for said := false; ; {
		err := s.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		if !said {
			s.opts.Log.Warn("access: a bucket cannot be followed, trying again", "bucket", s.storage.bucket, "error", err)
		}
		said = true
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryAfter):
		}
	}
}

// errBehind is the error for a watch that does not deliver changes.
var errBehind = errors.New("changes do not arrive")

// follow reads the bucket and then its changes. It returns when either fails.
func (s *Store) follow(ctx context.Context) error {
	kv, err := s.open(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Entries that the bucket has removed by age are not delivered, so the last entry may be below
	// this revision.
	last, _, err := lastRevision(ctx, kv)
	if err != nil {
		return err
	}
	watch, err := kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = watch.Stop() }() // the watch ends with ctx
	lost := make(chan error, 1)
	var probing chan struct{} // nil until the bucket was read
	defer func() {
		stop()
		if probing != nil {
			<-probing
		}
	}()
	fresh := copied{}
	fresh.reset()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-lost:
			return err
		case e, more := <-watch.Updates():
			switch {
			case !more:
				return errBehind
			case e == nil: // all existing entries have arrived
				fresh.revision = max(fresh.revision, last)
				s.replace(&fresh, kv)
				probing = make(chan struct{})
				go func() {
					defer close(probing)
					lost <- s.probe(ctx, kv)
				}()
			case probing == nil:
				fresh.apply(e, s.storage.bucket, s.opts.Log)
			default:
				s.apply(e)
			}
		}
	}
}

// open returns the bucket, and creates it if it does not exist.
func (s *Store) open(ctx context.Context) (jetstream.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	return s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: s.storage.bucket, Description: "tapedeck: " + s.storage.name + "s",
		Storage: jetstream.FileStorage, Replicas: s.opts.Replicas, History: 1, TTL: s.opts.TTL,
	})
}

// replace makes a new copy the current one.
func (s *Store) replace(fresh *copied, kv jetstream.KeyValue) {
	s.mu.Lock()
	fresh.noted, fresh.open = s.copy.noted, s.copy.open
	s.copy, s.kv = *fresh, kv
	endAll(s.copy.drop(), ErrRevoked)
	s.announce()
	s.mu.Unlock()
}

// apply applies a change. It ends the requests of a revoked token before it wakes the callers that
// wait for the change.
func (s *Store) apply(e jetstream.KeyValueEntry) {
	s.mu.Lock()
	endAll(s.copy.apply(e, s.storage.bucket, s.opts.Log), ErrRevoked)
	s.announce()
	s.mu.Unlock()
}

// announce wakes the callers that wait for a change. s.mu is held.
func (s *Store) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func endAll(list []*grant, why error) {
	for _, g := range list {
		g.end(why)
	}
}

// probe confirms the copy periodically. It returns errBehind if changes do not arrive.
func (s *Store) probe(ctx context.Context, kv jetstream.KeyValue) error {
	var behind, made time.Time
	for {
		began := s.now()
		last, created, err := lastRevision(ctx, kv)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
			return err
		case err != nil: // NATS does not answer, and the copy ages
		case !made.IsZero() && !made.Equal(created):
			return errors.New("the bucket was made anew")
		case s.confirm(last, began):
			behind = time.Time{}
			s.firstTime(ctx)
			s.keep()
		case behind.IsZero():
			behind = began
		case began.Sub(behind) > lagLimit:
			return errBehind
		}
		if err == nil {
			made = created
		}
		pause := probeEvery
		if !behind.IsZero() {
			pause /= 10
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// keep writes the use of credentials with requests in progress, and forgets entries that the bucket
// removes by age.
func (s *Store) keep() {
	s.mu.Lock()
	if s.opts.TTL > 0 {
		s.copy.prune(s.now().Add(-s.opts.TTL))
	}
	ids := slices.Collect(maps.Keys(s.copy.open))
	s.mu.Unlock()
	for _, id := range ids {
		s.noteUse(id)
	}
}

// confirm records that the copy was complete at a time, if it has the bucket's last revision.
func (s *Store) confirm(last uint64, at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copy.revision < last {
		return false
	}
	s.confirmed = at
	return true
}

// lastRevision returns the revision of the bucket's last change, and when the bucket was created.
func lastRevision(ctx context.Context, kv jetstream.KeyValue) (uint64, time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	status, err := kv.Status(ctx)
	if err != nil {
		return 0, time.Time{}, err
	}
	backed, is := status.(*jetstream.KeyValueBucketStatus)
	if !is {
		return 0, time.Time{}, errors.New("the bucket has no stream")
	}
	info := backed.StreamInfo()
	return info.State.LastSeq, info.Created, nil
}

// firstTime creates the administrator's token and reports that the store is ready.
func (s *Store) firstTime(ctx context.Context) {
	select {
	case <-s.ready:
		return
	default:
	}
	if s.opts.AdminFile != "" {
		if err := s.ensureAdmin(ctx); err != nil {
			s.opts.Log.Error("access: the administrator's token could not be made, trying again", "file", s.opts.AdminFile, "error", err)
			return
		}
	}
	close(s.ready)
}

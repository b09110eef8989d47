package spool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/ingest"
)

// Publish implements ingest.Publisher. While neither Next nor the disk takes
// the parcel it waits, and fails with a FullError when ctx ends.
func (s *Spool) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	for {
		s.mu.Lock()
		mode, changed := s.mode, s.changed
		switch {
		case s.closed:
			s.mu.Unlock()
			return ErrClosed
		case s.mode == direct:
			f := s.depart(p, done)
			s.mu.Unlock()
			return s.pass(ctx, f)
		case s.refusing != nil:
			defer s.mu.Unlock()
			return s.refusing
		}
		s.mu.Unlock()
		if mode == spooling {
			if taken, err := s.keep(ctx, p, done); taken || err != nil {
				return err
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s.gaveUp(ctx)
		}
	}
}

// keep writes a parcel to disk. It gives false, and no error, if that is no
// longer the way.
func (s *Spool) keep(ctx context.Context, p ingest.EncodedBlock, done func(error)) (bool, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return false, s.gaveUp(ctx)
	}
	defer func() { <-s.turn }()
	for {
		s.mu.Lock()
		if s.closed || s.mode != spooling || s.refusing != nil {
			s.mu.Unlock()
			return false, nil
		}
		changed := s.changed
		s.writing = true
		s.mu.Unlock()

		err := s.store.append(&record{parcel: p, at: time.Now().UnixNano()}, s.store.limit)

		s.mu.Lock()
		s.writing = false
		s.wrote(err)
		s.mu.Unlock()
		s.rouse()
		if err == nil {
			s.teller.tell(done, nil)
			return true, nil
		}
		if ingest.IsPermanent(err) {
			return false, err
		}
		retry := time.NewTimer(diskRetry)
		select {
		case <-changed:
			retry.Stop()
		case <-retry.C:
		case <-ctx.Done():
			retry.Stop()
			return false, s.gaveUp(ctx)
		}
	}
}

// diskRetry is how often a write that failed is tried again.
const diskRetry = time.Second

// wrote notes how a write to the store went. It needs mu.
func (s *Spool) wrote(err error) {
	if err == nil {
		s.totals.written++
	}
	if !ingest.IsPermanent(err) {
		s.diskErr = err
	}
}

// gaveUp says why a Publish that waits no longer could not be served.
func (s *Spool) gaveUp(ctx context.Context) error {
	bytes, _, _ := s.store.load()
	s.mu.Lock()
	defer s.mu.Unlock()
	cause := context.Cause(ctx)
	if s.diskErr == nil {
		return fmt.Errorf("spool %s waits for blocks under way to be confirmed or given up: %w", s.opts.Dir, cause)
	}
	e := &FullError{Dir: s.opts.Dir, Bytes: bytes, Limit: s.opts.Limit, Next: s.nextErr, Cause: cause}
	if !errors.Is(s.diskErr, errNoRoom) {
		e.Disk = s.diskErr
	}
	return e
}

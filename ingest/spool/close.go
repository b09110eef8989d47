package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Close takes no more parcels, waits until those that went straight to Next
// are settled, and ends. What is not sent stays on disk for the next Open; what
// Next has not confirmed when ctx ends is put there too. It fails if that
// cannot be written: then the streams concerned were told so.
func (s *Spool) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.closed = true
	s.stir()
	s.mu.Unlock()
	s.stop()
	<-s.gone
	s.landAll(ctx)
	var errs []error
	if err := s.storeRest(); err != nil {
		errs = append(errs, err)
	}
	s.teller.close()
	s.store.close()
	errs = append(errs, s.lock.Close())
	return errors.Join(errs...)
}

// landAll waits until nothing is under way to Next, or ctx ends.
func (s *Spool) landAll(ctx context.Context) {
	for {
		s.mu.Lock()
		left, changed := len(s.flights), s.changed
		s.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// storeRest writes to disk what is in memory only, be it over the limit: it is
// no more than Next had taken.
func (s *Spool) storeRest() error {
	// A Publish that was writing when Close began is to finish first.
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.mu.Lock()
	rest := slices.Concat(s.held, s.failed)
	for _, f := range s.flights {
		f.settled = true
		rest = append(rest, f)
	}
	s.held, s.failed = nil, nil
	clear(s.flights)
	s.mu.Unlock()
	slices.SortFunc(rest, func(a, b *flight) int { return cmp.Compare(a.number, b.number) })
	var failure error
	lost := 0
	for _, f := range rest {
		if err := s.storeFlight(f, math.MaxInt64); err != nil {
			failure = err
			lost++
			s.teller.tell(f.done, fmt.Errorf("spool %s closed before the block was sent or written: %w", s.opts.Dir, err))
		}
	}
	if failure != nil {
		return fmt.Errorf("%d blocks were given back, since the spool %s cannot be written: %w", lost, s.opts.Dir, failure)
	}
	return nil
}

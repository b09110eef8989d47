package spool

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tapedeck/ingest"
)

// flight is a parcel that was taken and whose fate is not known. Spool.mu
// guards settled.
type flight struct {
	number  uint64 // in the order in which they were published
	parcel  ingest.EncodedBlock
	done    func(error)
	settled bool // whoever set it calls done, or has put it on a list
}

// errSlow is why Next gets no more time for a parcel.
var errSlow = errors.New("takes no blocks at present")

// depart registers a parcel that goes straight to Next. It needs mu.
func (s *Spool) depart(p ingest.EncodedBlock, done func(error)) *flight {
	f := &flight{number: s.count, parcel: p, done: done}
	s.count++
	s.flights[f.number] = f
	return f
}

// pass hands a parcel to Next.
func (s *Spool) pass(ctx context.Context, f *flight) error {
	patient, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errSlow)
	defer cancel()
	err := s.opts.Next.Publish(patient, f.parcel, func(err error) { s.landed(f, err) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || ingest.IsPermanent(err):
		if s.settle(f) {
			return err
		}
		return nil // Close has put it on disk meanwhile
	}
	s.landed(f, err)
	return nil
}

// settle takes a parcel out of the air; false if that was done before.
func (s *Spool) settle(f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.land(f)
}

// land is settle with mu held.
func (s *Spool) land(f *flight) bool {
	if f.settled {
		return false
	}
	f.settled = true
	delete(s.flights, f.number)
	if len(s.flights) == 0 && (s.mode != direct || s.closed) {
		s.rouse()
		s.stir()
	}
	return true
}

// landed learns a parcel's fate. With an error that is not permanent the
// parcel stays, and from now on all go to disk.
func (s *Spool) landed(f *flight, err error) {
	s.mu.Lock()
	if !s.land(f) {
		s.mu.Unlock()
		return
	}
	if err == nil || ingest.IsPermanent(err) {
		if err == nil {
			s.totals.passed++
		}
		s.mu.Unlock()
		f.done(err)
		return
	}
	s.failed = append(s.failed, f)
	s.failedWith(err)
	s.keepFromNowOn(err)
	s.mu.Unlock()
}

// gather puts the parcels that were given up in order, once no other is in the
// air; false before.
func (s *Spool) gather() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode == direct || len(s.flights) > 0 {
		return false
	}
	s.held = append(s.held, s.failed...)
	s.failed = nil
	slices.SortFunc(s.held, func(a, b *flight) int { return cmp.Compare(a.number, b.number) })
	return true
}

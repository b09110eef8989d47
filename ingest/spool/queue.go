package spool

import (
	"errors"
	"slices"
	"time"

	"tapedeck/ingest"
)

// takeHeld takes the first of the parcels that Next gave up and that are
// neither on disk nor sent; nil if there is none.
func (s *Spool) takeHeld() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) == 0 {
		return nil
	}
	f := s.held[0]
	s.held = s.held[1:]
	return f
}

func (s *Spool) putBack(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = slices.Insert(s.held, 0, f)
}

// storeFlight writes a parcel to disk that Next gave up. Nobody else writes to
// the store meanwhile. One that would never fit goes back to its stream.
func (s *Spool) storeFlight(f *flight, limit int64) error {
	err := s.store.append(&record{parcel: f.parcel, at: time.Now().UnixNano()}, limit)
	s.mu.Lock()
	s.wrote(err)
	s.mu.Unlock()
	if err != nil && !ingest.IsPermanent(err) {
		return err
	}
	s.teller.tell(f.done, err)
	return nil
}

// openToAll lets new parcels go to disk, behind those that were held.
func (s *Spool) openToAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode == switching && !s.closed {
		s.mode = spooling
		s.stir()
	}
}

// goDirect leaves spooling if nothing is left that a new parcel could overtake:
// all that was kept has been handed to Next. It is the drainer's.
func (s *Spool) goDirect(a *air) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.writing || len(s.held) > 0 || a.failing() || !s.store.retire() {
		return false
	}
	s.opts.Log.Info("the spool is drained; blocks go straight on again",
		"dir", s.opts.Dir, "after", time.Since(s.since).Round(time.Millisecond), "sent", s.totals.sent)
	s.mode, s.since = direct, time.Now()
	s.diskErr, s.refusing = nil, nil
	s.stir()
	return true
}

// keepFromNowOn has new parcels wait, and then go to disk, because one could
// not be sent. It needs mu.
func (s *Spool) keepFromNowOn(reason error) {
	if s.mode != direct {
		return
	}
	s.mode, s.since = switching, time.Now()
	s.opts.Log.Warn("blocks are kept on disk from now on", "dir", s.opts.Dir, "reason", reason)
	s.rouse()
}

// confirm notes that a record was sent or set aside.
func (s *Spool) confirm(seg *segment) {
	if s.store.confirm(seg) {
		s.mu.Lock()
		s.stir()
		s.mu.Unlock()
	}
}

// told notes what Next did with a parcel that was kept.
func (s *Spool) told(how outcome, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch how {
	case confirmed:
		s.totals.sent++
		if s.refusing != nil {
			s.refusing = nil
			s.stir()
		}
	case refused:
		s.totals.refused++
		s.failedWith(err)
	case failed:
		s.totals.retries++
		s.failedWith(err)
		s.keepFromNowOn(err)
	}
}

// failedWith notes why Next did not take a parcel. It needs mu.
func (s *Spool) failedWith(err error) {
	s.nextErr, s.nextErrAt = err, time.Now()
	if s.refusing == nil && refusesAll(err) {
		s.refusing = err
		s.stir()
	}
}

// refusesAll reports whether an error of Next means that it takes nothing at
// all until somebody acts.
func refusesAll(err error) bool {
	r, ok := errors.AsType[interface {
		error
		RefusesAll() bool
	}](err)
	return ok && r.RefusesAll()
}

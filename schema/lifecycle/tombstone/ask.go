package tombstone

import (
	"context"
	"maps"
	"slices"
	"time"
)

// batch is one read of the tombstones of several sessions.
type batch struct {
	keys map[Key]bool
	done chan struct{} // closed when the read has ended
	err  error         // error of the read; valid after done is closed
}

// Ask reads the tombstone of a session from ClickHouse. The read begins after the call. Requests
// that arrive during a read are combined into the next one, so that a thousand readers that start
// at once need two reads.
func (s *Set) Ask(ctx context.Context, of Key) error {
	s.mu.Lock()
	if s.next == nil {
		s.next = &batch{keys: map[Key]bool{}, done: make(chan struct{})}
	}
	b := s.next
	b.keys[of] = true
	if !s.asking {
		s.asking = true
		go s.answer()
	}
	s.mu.Unlock()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answer reads batches until no request is left.
func (s *Set) answer() {
	for {
		s.mu.Lock()
		b := s.next
		s.next = nil
		if b == nil {
			s.asking = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		b.err = s.ask(b.keys)
		close(b.done)
	}
}

// ask reads the tombstones of sessions within askTimeout.
func (s *Set) ask(keys map[Key]bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	began := time.Now()
	rows, err := s.store.of(ctx, slices.Collect(maps.Keys(keys)))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Add tombstones before restores, since a restore counts only with a tombstone.
	for _, t := range rows {
		s.add(t)
	}
	for of := range keys {
		if s.lookup(of) != nil {
			s.asked[of] = began
		}
	}
	return nil
}

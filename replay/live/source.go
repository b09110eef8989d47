package live

import (
	"context"
	"errors"

	"tapedeck/internal/budget"
)

// source returns a session's blocks in order from a number on: from the tail or, while it is behind
// the tail, from JetStream. It is used by one goroutine.
type source struct {
	library *Library
	tail    *tail
	next    uint64 // the lowest number that may arrive
	pull    *pull  // nil while the tail is used

	grant *budget.Grant // of the reader
	held  int64         // bytes charged for the blocks that were pulled last
}

// charge charges the reader for these blocks instead of the previous ones.
func (s *source) charge(pieces []*piece) {
	held := int64(0)
	for _, p := range pieces {
		held += 2 * int64(p.size) // playing copies the frames
	}
	s.grant.Adjust(held - s.held)
	s.held = held
}

// errRemoved is the error if blocks were removed from JetStream, since they are stored.
var errRemoved = errors.New("the blocks are no longer in JetStream")

// get returns the next blocks, if there are any. Otherwise it returns a channel that is closed when
// there may be some, or nil if get should be called again at once. The error may be errRemoved.
func (s *source) get(ctx context.Context) ([]*piece, <-chan struct{}, error) {
	s.charge(nil)
	pieces, after, changed, low := s.tail.from(s.next)
	if low <= s.next {
		s.leave()
		s.next = after
		return s.library.undeleted(ctx, s.tail.session, pieces), changed, nil
	}
	if s.pull == nil || s.pull.next != s.next {
		s.leave()
		s.pull = &pull{library: s.library, session: s.tail.session, next: s.next}
	}
	pieces, err := s.pull.some(ctx)
	if err != nil {
		s.leave()
		return nil, nil, err
	}
	first, err := s.library.first(ctx, s.tail.session)
	if err != nil {
		return nil, nil, err
	}
	if first > s.next {
		return nil, nil, errRemoved
	}
	if s.pull.next > s.next {
		s.next = s.pull.next
		s.charge(pieces)
		return pieces, nil, nil
	}
	// No blocks: the fetch timed out, or no block precedes the blocks of the tail.
	none, err := s.library.none(ctx, s.tail.session, s.next, low)
	if err != nil || !none {
		s.leave() // the consumer may have been lost with its NATS server
		return nil, nil, err
	}
	if first, err = s.library.first(ctx, s.tail.session); err != nil {
		return nil, nil, err
	}
	if first > s.next {
		return nil, nil, errRemoved
	}
	s.next = low
	return nil, nil, nil
}

// receiving reports whether new blocks are being received.
func (s *source) receiving() bool { return s.tail.receiving() }

// leave closes the consumer.
func (s *source) leave() {
	if s.pull != nil {
		s.pull.close()
		s.pull = nil
	}
}

// close releases the tail.
func (s *source) close() {
	s.leave()
	s.charge(nil)
	s.library.release(s.tail)
}

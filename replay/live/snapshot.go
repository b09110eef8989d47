package live

import (
	"context"
	"errors"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// look is how a session stood at a time: what is history, and which blocks
// follow.
type snapshot struct {
	at     time.Time
	stored replay.Tape // nil where nothing is stored
	ends   map[string]uint64
	cursor uint64 // from this block on JetStream is read
	last   uint64 // the last block there was; what follows came later
	chains map[string]*chain
}

// liveAt names a frame that came live: what came before it was seen.
type liveAt struct {
	block  uint64
	stream string
	seq    uint64
}

// look looks at the session, as seen from a frame that came live or, where that
// is nil, from what is stored. The order is what makes it complete: the floor,
// what is stored, the last block. A frame that is stored is up to the floor, or
// in one of the blocks that are looked through. The error is errRemoved if the
// frame's block is no longer in JetStream.
func (t *tape) takeSnapshot(ctx context.Context, from *liveAt) (*snapshot, error) {
	l := t.library
	v := &snapshot{at: time.Now(), ends: map[string]uint64{}, chains: map[string]*chain{}}
	floor, err := l.floor(ctx)
	if err != nil {
		return nil, err
	}
	v.cursor = floor + 1
	begin := v.cursor
	if from != nil {
		v.cursor, begin = from.block, max(min(begin, from.block), scanBack+1)-scanBack
	}
	if err := t.openStored(ctx, v); err != nil {
		return nil, err
	}
	tail, err := l.acquire(t.session, begin)
	if err != nil {
		return nil, err
	}
	s := &source{library: l, tail: tail, next: begin}
	defer s.close()
	if v.last, err = l.last(ctx, t.session); err != nil {
		return nil, err
	}
	for failures := 0; s.next <= v.last; {
		all, more := tail.reached(v.last)
		pieces, changed, err := s.get(ctx)
		switch {
		case errors.Is(err, errRemoved):
			// Either the floor has risen since, or it is what lies far back.
			first, err := l.first(ctx)
			if err != nil {
				return nil, err
			}
			if from == nil {
				return t.takeSnapshot(ctx, nil)
			}
			s.next = max(s.next, first)
			continue
		case err != nil:
			if failures++; failures > maxFetchFailures || ctx.Err() != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
			continue
		}
		for _, p := range pieces {
			if p.number <= v.last {
				t.note(&p.state, p.at)
				v.chain(p.state.StreamID).add(p, v.cursor, from)
			}
		}
		if len(pieces) > 0 || changed == nil {
			continue
		}
		if all {
			break
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	for id, c := range v.chains {
		c.close(v.ends[id])
	}
	if from == nil {
		return v, nil
	}
	first, err := l.first(ctx)
	if err == nil && first > from.block {
		err = errRemoved
	}
	return v, err
}

// lookBack is how many blocks before a place are looked at, to tell a block
// after it that was sent again from a new one.
const scanBack = 2048

// lookFailures is how often fetching blocks may fail in one look.
const maxFetchFailures = 10

func (v *snapshot) chain(id string) *chain {
	c := v.chains[id]
	if c == nil {
		c = &chain{}
		v.chains[id] = c
	}
	return c
}

// lookAtStored opens what is stored.
func (t *tape) openStored(ctx context.Context, v *snapshot) error {
	stored, err := t.library.opts.Stored.Tape(ctx, t.session.tenant, t.session.id)
	if errors.Is(err, replay.ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	v.stored = stored
	streams := stored.Streams()
	for i := range streams {
		s := &streams[i]
		v.ends[s.StreamID] = endOf(s)
		t.note(s, time.Unix(0, max(s.LastAt, s.Ended)))
	}
	return nil
}

// endOf returns the number after that of a stream's last frame.
func endOf(s *schema.StreamState) uint64 {
	if last := replay.LastSeq(s); last+1 != 0 {
		return last + 1
	}
	return s.FirstSeq + s.Frames
}

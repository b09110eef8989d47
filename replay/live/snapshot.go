package live

import (
	"context"
	"errors"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// snapshot is the state of a session at one time: which frames are in the history, and which blocks
// follow.
type snapshot struct {
	at     time.Time
	stored replay.Tape // nil if nothing is stored
	ends   map[string]uint64
	cursor uint64 // the first block to read from JetStream
	last   uint64 // the last block at that time
	copied uint64 // the last block of them with stored frames; it may be a block that was resent
	chains map[string]*chain
}

// liveAt identifies a live frame. All frames that arrived before it were received.
type liveAt struct {
	block  uint64
	stream string
	seq    uint64
}

// takeSnapshot reads the state of the session relative to a live frame or, if from is nil, to the
// stored frames. The order of the reads makes the snapshot complete: first the ack floor, then the
// stored streams, then the last block. Every stored frame is at or below the floor, or in one of
// the blocks that are read. The error is errRemoved if the frame's block is no longer in JetStream.
func (t *tape) takeSnapshot(ctx context.Context, from *liveAt) (*snapshot, error) {
	back := uint64(scanBack)
	for {
		v, err := t.scan(ctx, from, back)
		if err != nil || from == nil || back >= mostScanBack || !v.incomplete() {
			return v, err
		}
		back *= 4
	}
}

// scan takes a snapshot that, relative to a live frame, reads back blocks before it.
func (t *tape) scan(ctx context.Context, from *liveAt, back uint64) (*snapshot, error) {
	l := t.library
	v := &snapshot{at: time.Now(), ends: map[string]uint64{}, chains: map[string]*chain{}}
	floor, err := l.floor(ctx, t.session)
	if err != nil {
		return nil, err
	}
	v.cursor = floor + 1
	begin := v.cursor
	if from != nil {
		v.cursor, begin = from.block, max(min(begin, from.block), back+1)-back
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
			// Either the floor has risen in the meantime, or the frame's block is old.
			first, err := l.first(ctx, t.session)
			if err != nil {
				return nil, err
			}
			if from == nil {
				return t.scan(ctx, nil, back)
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
				v.add(p, from)
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
	if from == nil {
		for id, c := range v.chains {
			c.close(v.ends[id])
		}
		return v, nil
	}
	first, err := l.first(ctx, t.session)
	if err == nil && first > from.block {
		err = errRemoved
	}
	return v, err
}

const (
	// scanBack is the number of messages before a place that are read, to distinguish resent blocks
	// after it from new ones.
	scanBack = 2048
	// mostScanBack bounds the messages that are read if a block is missing among them.
	mostScanBack = 16 * scanBack
)

// incomplete reports whether a stream's blocks before the live frame have gaps.
func (v *snapshot) incomplete() bool {
	for _, c := range v.chains {
		if c.incomplete() {
			return true
		}
	}
	return false
}

// maxFetchFailures bounds the failed fetches in one snapshot.
const maxFetchFailures = 10

// add adds the next block.
func (v *snapshot) add(p *piece, from *liveAt) {
	id := p.state.StreamID
	switch {
	case len(p.frames) == 0:
	case from != nil:
		v.chain(id).addAfter(p, from)
	default:
		v.chain(id).add(p)
		if p.first() < v.ends[id] {
			v.copied = p.number
		}
	}
}

func (v *snapshot) chain(id string) *chain {
	c := v.chains[id]
	if c == nil {
		c = &chain{}
		v.chains[id] = c
	}
	return c
}

// openStored opens the stored tape.
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

// endOf returns the number after a stream's last frame.
func endOf(s *schema.StreamState) uint64 {
	if last := replay.LastSeq(s); last+1 != 0 {
		return last + 1
	}
	return s.FirstSeq + s.Frames
}

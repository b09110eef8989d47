package live

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// tape is a running session, for one or more playbacks.
type tape struct {
	library *Library
	session *session

	mu           sync.Mutex // guards the fields below
	streams      map[string]schema.StreamState
	base         int64     // when the first frame known at the start arrived, ns
	edge         int64     // when the latest frame arrived, ns
	arrivedAt    time.Time // when the block with the edge reached JetStream
	waitedAt     time.Time // when a reader last had every block and waited for more
	lastActivity time.Time // when the session last changed
	endsReadAt   time.Time // when the stored streams were last read for ends
	first        *snapshot // snapshot of Library.Tape, for the first reader
}

// begin stores the snapshot that was taken when the tape was opened.
func (t *tape) begin(v *snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first = v
	for _, s := range t.streams {
		if t.base == 0 || s.FirstAt < t.base {
			t.base = s.FirstAt
		}
	}
}

// takeFirst returns the snapshot of the opening, once, if it is recent.
func (t *tape) takeFirst() *snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.first
	t.first = nil
	if v == nil || time.Since(v.at) > fresh {
		return nil
	}
	return v
}

const fresh = 2 * time.Second

// known reports whether the session has any recorded stream.
func (t *tape) known() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.streams) > 0
}

// note records the state of a stream at a time.
func (t *tape) note(s *schema.StreamState, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.After(t.lastActivity) {
		t.lastActivity = at
	}
	if s.Frames == 0 {
		return // the block has only facts
	}
	if s.LastAt > t.edge || s.LastAt == t.edge && at.After(t.arrivedAt) {
		t.edge, t.arrivedAt = s.LastAt, at
	}
	old, ok := t.streams[s.StreamID]
	if ok && old.Version > s.Version {
		return
	}
	state := *s
	if ok {
		state.FirstAt, state.FirstSeq = min(old.FirstAt, state.FirstAt), min(old.FirstSeq, state.FirstSeq)
		state.LastAt = max(old.LastAt, state.LastAt)
	}
	if t.streams == nil {
		t.streams = map[string]schema.StreamState{}
	}
	t.streams[s.StreamID] = state
}

// Streams implements replay.Tape. A stream that began before the first known stream is listed as if
// both had begun at the same time.
func (t *tape) Streams() []schema.StreamState {
	t.mu.Lock()
	list := make([]schema.StreamState, 0, len(t.streams))
	for _, s := range t.streams {
		s.FirstAt = max(s.FirstAt, t.base)
		list = append(list, s)
	}
	t.mu.Unlock()
	slices.SortFunc(list, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.FirstAt, b.FirstAt), cmp.Compare(a.StreamID, b.StreamID))
	})
	return list
}

// Edge implements replay.Growing.
func (t *tape) Edge() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.edge
}

// waits records that a reader has every block and waits for more.
func (t *tape) waits(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waitedAt = now
}

// jitter is how much longer a block may take from its recorder to JetStream than the previous block
// before AsOf exceeds its time.
const jitter = 250 * time.Millisecond

// AsOf implements replay.Growing. It assumes that the next block takes as long from its recorder as
// the latest one did, so that this time does not count as silence. While no reader waits for
// blocks, silence counts only up to the time when a reader last waited.
func (t *tape) AsOf() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waitedAt.IsZero() || !t.isOpen() {
		return t.edge
	}
	until := time.Now()
	if until.Sub(t.waitedAt) > 2*pollInterval {
		until = t.waitedAt
	}
	return t.edge + int64(max(until.Sub(t.arrivedAt)-jitter, 0))
}

// several reports whether the session has more than one stream.
func (t *tape) several() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.streams) > 1
}

// over reports whether no more frames are expected. It checks for lost recorders only after the
// session has been silent long enough.
func (t *tape) over(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := &t.library.opts
	wait := o.Grace
	silent := now.Sub(t.lastActivity)
	for _, s := range t.streams {
		switch {
		case s.Ended == 0:
			if silent > o.Silence && o.recorded(t.session.tenant, &s) {
				return false
			}
			wait = max(wait, o.Silence)
		case s.Transport == schema.HTTP:
			wait = max(wait, o.GraceHTTP)
		}
	}
	return silent > wait
}

// Read implements replay.Tape.
func (t *tape) Read(_ context.Context, q replay.Query) (replay.Reader, error) {
	return &reader{tape: t, query: q, tracks: map[string]*track{}}, nil
}

// Facts implements replay.Tape. It returns the stored facts; facts of blocks that are not stored
// yet are missing.
func (t *tape) Facts(ctx context.Context, q replay.FactQuery) (replay.Facts, error) {
	stored, err := t.library.opts.Stored.Tape(ctx, t.session.tenant, t.session.id)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return stored.Facts(ctx, q)
}

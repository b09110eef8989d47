package share

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tapedeck/internal/app/auth/access"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Library returns the tapes of Whole. For a shared link it returns the tapes of Stored, cut to the
// time window of the link.
type Library struct{ Whole, Stored replay.Library }

// Tape implements replay.Library.
func (l Library) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	p := access.From(ctx)
	if p == nil || p.Kind != access.KindShare {
		return l.Whole.Tape(ctx, tenant, session)
	}
	t, err := l.Stored.Tape(ctx, tenant, session)
	if err != nil {
		return nil, err
	}
	return cut(t, p.Share), nil
}

// spanTape is the part of a tape that a link shows, from the beginning to the end of the span. It
// does not grow, since the span ends no later than the creation of the link.
type spanTape struct {
	tape     replay.Tape
	from, to int64 // ns; to is excluded
	streams  []schema.StreamState
	shown    map[string]*schema.StreamState // states with shown ids, by stored stream id
	stored   map[string]string              // stored ids, by shown id
}

func cut(t replay.Tape, s *access.Share) *spanTape {
	c := &spanTape{tape: t, to: math.MaxInt64, shown: map[string]*schema.StreamState{}, stored: map[string]string{}}
	if s.From != nil {
		c.from = s.From.UnixNano()
	}
	if s.To != nil {
		c.to = s.To.UnixNano()
	}
	all := t.Streams()
	within := slices.DeleteFunc(slices.Clone(all), func(s schema.StreamState) bool { return s.FirstAt >= c.to || s.LastAt < c.from })
	if len(within) == 0 { // a tape must have a stream; this one has no frames
		within = all[:1]
	}
	c.streams = make([]schema.StreamState, len(within))
	for i, one := range within {
		c.streams[i] = c.clamp(one)
		c.shown[one.StreamID], c.stored[c.streams[i].StreamID] = &c.streams[i], one.StreamID
	}
	slices.SortStableFunc(c.streams, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.FirstAt, b.FirstAt), cmp.Compare(a.StreamID, b.StreamID))
	})
	for i := range c.streams {
		c.shown[c.stored[c.streams[i].StreamID]] = &c.streams[i]
	}
	return c
}

// clamp returns a stream limited to the span.
func (t *spanTape) clamp(s schema.StreamState) schema.StreamState {
	last := t.to - 1
	s.FirstAt, s.LastAt = max(t.from, min(s.FirstAt, last)), max(t.from, min(s.LastAt, last))
	s.StreamID = schema.StartedFrom(s.StreamID, t.from)
	return s
}

// Streams implements replay.Tape.
func (t *spanTape) Streams() []schema.StreamState { return t.streams }

// Read implements replay.Tape.
func (t *spanTape) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	first := schema.Position{At: t.from}
	last := schema.Position{At: t.to - 1, StreamID: "\xff", Seq: math.MaxUint64} // after all positions of its time
	q.From.Position, q.To = t.find(q.From.Position), t.find(q.To)
	if q.From.Live || q.From.Position.Compare(first) < 0 {
		q.From = replay.Place{Position: first}
	}
	if q.To.IsZero() || last.Compare(q.To) < 0 {
		q.To = last
	}
	r, err := t.tape.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return &spanReader{Reader: r, shown: t.shown}, nil
}

// find returns the stored position for a shown one.
func (t *spanTape) find(p schema.Position) schema.Position {
	if id, has := t.stored[p.StreamID]; has {
		p.StreamID = id
	}
	return p
}

// Facts implements replay.Tape. It returns none, since a link shows no frames that need facts.
func (t *spanTape) Facts(context.Context, replay.FactQuery) (replay.Facts, error) { return nil, nil }

// spanReader returns frames with shown stream ids.
type spanReader struct {
	replay.Reader
	shown  map[string]*schema.StreamState
	frames []replay.Frame
}

// Next implements replay.Reader.
func (r *spanReader) Next(ctx context.Context) ([]replay.Frame, error) {
	frames, err := r.Reader.Next(ctx)
	r.frames = r.frames[:0]
	for _, f := range frames {
		if s := r.shown[f.Stream.StreamID]; s != nil { // other streams have appeared since the tape was opened
			f.Stream = s
			r.frames = append(r.frames, f)
		}
	}
	if err == nil && len(r.frames) == 0 {
		return r.Next(ctx)
	}
	return r.frames, err
}

// Package replaytest provides a tape in memory for tests of players and sinks.
package replaytest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Start is the time at which sessions in tests begin, ns.
const Start int64 = 1_767_323_045_123_456_789

// Session is the id of the only session of a Tape that is used as a library.
const Session = "session"

// Tape is a replay.Tape and a replay.Library in memory. Streams and frames must be added first;
// after the first use it is safe for concurrent use.
type Tape struct {
	Batch int           // frames per batch of a reader; 0 for 7
	Delay time.Duration // how long every Next takes
	// FailAfter makes a reader fail with Err after this many frames; 0 for never.
	FailAfter int
	Err       error
	Running   bool // the streams have not ended
	// Decode returns the facts of a stream, and may set the envelopes of its frames; nil for a tape
	// without facts.
	Decode func(s *schema.StreamState, frames []schema.Frame) block.Facts

	added  []*Stream
	sealed *contents
	open   atomic.Int64
}

type contents struct {
	streams []schema.StreamState
	frames  []replay.Frame
	facts   map[string]block.Facts
}

// Stream is one stream of a Tape.
type Stream struct {
	tape    *Tape
	state   schema.StreamState
	frames  []schema.Frame
	skipped uint64
}

// Stream adds a stream. Its id contains the number of streams before it.
func (t *Tape) Stream(transport schema.Transport, dialect string) *Stream {
	n := len(t.added)
	s := &Stream{tape: t, state: schema.StreamState{
		StreamID:  fmt.Sprintf("019b7d3c-%04x-7000-8000-%012x", n, n),
		Transport: transport, Dialect: dialect, EndReason: "eof",
	}}
	t.added = append(t.added, s)
	return s
}

// Skip skips sequence numbers, as in a stream whose frames belong to several sessions.
func (s *Stream) Skip(n uint64) *Stream {
	s.skipped += n
	return s
}

// Dialect sets the stream's dialect.
func (s *Stream) Dialect(name string) *Stream {
	s.state.Dialect, s.tape.sealed = name, nil
	return s
}

// Source sets where the stream was recorded.
func (s *Stream) Source(name string) *Stream {
	s.state.Source, s.tape.sealed = name, nil
	return s
}

// Recorder sets the id of the process that recorded the stream.
func (s *Stream) Recorder(id string) *Stream {
	s.state.Recorder, s.tape.sealed = id, nil
	return s
}

// Ended sets the reason for which the stream ended.
func (s *Stream) Ended(reason string) *Stream {
	s.state.EndReason, s.tape.sealed = reason, nil
	return s
}

// ID returns the stream's id.
func (s *Stream) ID() string { return s.state.StreamID }

// Add appends a frame that arrives at an offset from Start. The set functions may
// change its fields.
func (s *Stream) Add(offset time.Duration, raw string, set ...func(*schema.Frame)) *Stream {
	f := schema.Frame{
		Seq: uint64(len(s.frames)) + s.skipped, At: Start + int64(offset),
		Transport: s.state.Transport, Raw: []byte(raw),
	}
	for _, change := range set {
		change(&f)
	}
	s.frames = append(s.frames, f)
	s.tape.sealed = nil
	return s
}

// seal sorts streams and frames.
func (t *Tape) seal() *contents {
	if t.sealed != nil {
		return t.sealed
	}
	c := &contents{facts: map[string]block.Facts{}}
	for _, s := range t.added {
		if len(s.frames) == 0 {
			continue
		}
		st := s.state
		st.FirstAt, st.LastAt = s.frames[0].At, s.frames[len(s.frames)-1].At
		st.Frames, st.FirstSeq = uint64(len(s.frames)), s.frames[0].Seq
		st.Version = 2 * (s.frames[len(s.frames)-1].Seq + 1)
		if !t.Running {
			st.Ended = st.LastAt
			st.Version++
		}
		c.streams = append(c.streams, st)
		if t.Decode != nil {
			c.facts[st.StreamID] = t.Decode(&st, s.frames)
		}
	}
	slices.SortFunc(c.streams, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.FirstAt, b.FirstAt), cmp.Compare(a.StreamID, b.StreamID))
	})
	for i := range c.streams {
		st := &c.streams[i]
		at := slices.IndexFunc(t.added, func(s *Stream) bool { return s.ID() == st.StreamID })
		for _, f := range t.added[at].frames {
			st.Bytes += uint64(len(f.Raw))
			c.frames = append(c.frames, replay.Frame{Frame: f, Stream: st})
		}
	}
	slices.SortFunc(c.frames, func(a, b replay.Frame) int { return a.Position().Compare(b.Position()) })
	t.sealed = c
	return c
}

// Frames returns all frames in position order.
func (t *Tape) Frames() []replay.Frame { return t.seal().frames }

// Streams implements replay.Tape.
func (t *Tape) Streams() []schema.StreamState { return t.seal().streams }

// Open returns the number of open readers.
func (t *Tape) Open() int { return int(t.open.Load()) }

// Tape implements replay.Library for the session Session of any tenant.
func (t *Tape) Tape(_ context.Context, _, session string) (replay.Tape, error) {
	if session != Session {
		return nil, fmt.Errorf("session %q: %w", session, replay.ErrNoSession)
	}
	t.seal()
	return t, nil
}

// Facts implements replay.Tape.
func (t *Tape) Facts(_ context.Context, q replay.FactQuery) (replay.Facts, error) {
	set := replay.NewFactSet(q)
	for id, f := range t.seal().facts {
		set.Add(id, &f)
	}
	return set.Facts(), nil
}

// Read implements replay.Tape.
func (t *Tape) Read(_ context.Context, q replay.Query) (replay.Reader, error) {
	r := &reader{tape: t, query: q, frames: t.seal().frames}
	for len(r.frames) > 0 && q.From.Before(r.frames[0].Position()) {
		r.frames = r.frames[1:]
	}
	t.open.Add(1)
	return r, nil
}

type reader struct {
	tape   *Tape
	query  replay.Query
	frames []replay.Frame // not returned yet
	batch  []replay.Frame // returned last
	given  int
}

func (r *reader) Next(ctx context.Context) ([]replay.Frame, error) {
	r.spoil()
	if r.tape.Delay > 0 {
		select {
		case <-time.After(r.tape.Delay):
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	size := cmp.Or(r.tape.Batch, 7)
	if r.query.Few {
		size = 1
	}
	r.batch = make([]replay.Frame, 0, size)
	for len(r.frames) > 0 && len(r.batch) < size {
		f := r.frames[0]
		if !r.query.To.IsZero() && f.Position().Compare(r.query.To) > 0 {
			r.frames = nil
			break
		}
		if !r.query.Filter.Match(&f.Frame) {
			r.frames = r.frames[1:]
			continue
		}
		if r.tape.FailAfter > 0 && r.given == r.tape.FailAfter {
			if len(r.batch) == 0 {
				return nil, r.tape.Err
			}
			break
		}
		r.frames = r.frames[1:]
		f.Raw = slices.Clone(f.Raw)
		r.batch = append(r.batch, f)
		r.given++
	}
	if len(r.batch) == 0 {
		return nil, io.EOF
	}
	return r.batch, nil
}

func (r *reader) Close() error {
	r.spoil()
	r.tape.open.Add(-1)
	return nil
}

// spoil overwrites the batch returned last, so that code that still uses it fails.
func (r *reader) spoil() {
	for _, f := range r.batch {
		clear(f.Raw)
	}
	clear(r.batch)
}

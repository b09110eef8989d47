package replay

import (
	"context"
	"errors"
	"math"

	"tapedeck/schema"
)

// ErrNoSession is returned for a session of which nothing is recorded.
var ErrNoSession = errors.New("no such session")

// ErrLive is what Next of a Reader gives, once, when it has given all there is
// of a session that still runs: the following Next waits for more.
var ErrLive = errors.New("this is all there is so far")

// Library finds the tape of a session. The error is ErrNoSession where there
// is none.
type Library interface {
	Tape(ctx context.Context, tenant, session string) (Tape, error)
}

// Tape is the recording of one session. It is safe for use by many players.
type Tape interface {
	// Streams returns the session's streams, ordered by FirstAt, then StreamID;
	// there is at least one. The caller only reads them.
	Streams() []schema.StreamState
	// Read opens the frames from a place on.
	Read(ctx context.Context, q Query) (Reader, error)
}

// Growing is a Tape whose session still runs. Its readers give what was recorded
// in position order, then ErrLive, then frames as they come: those of a stream in
// order, while across streams one may come late. The first of its Streams tells
// the same FirstAt at all times; other streams may join.
type Growing interface {
	Tape
	// Edge returns when the latest frame arrived that is known of, ns.
	Edge() int64
	// AsOf returns the time until which all frames are known, ns: the edge, and later
	// while the tape is known to have no frame after it. The time since the edge is
	// measured by this process's clock and added to it, so AsOf is in the recorder's
	// time.
	AsOf() int64
}

// Reader gives the frames of a tape in position order, each once. It is used by
// one goroutine at a time.
type Reader interface {
	// Next returns the frames that follow: at least one, or an error, which is
	// io.EOF after the last, or ErrLive. It waits while there are none yet and returns
	// early when ctx ends; the reader can then only be closed. The frames and
	// all they point to are valid until the following Next or Close.
	Next(ctx context.Context) ([]Frame, error)
	// Close lets go of what the reader holds. It comes after Next has returned.
	Close() error
}

// Frame is a frame on a tape: with the stream that it belongs to.
type Frame struct {
	schema.Frame
	Stream *schema.StreamState // shared by the stream's frames; only read
	// Block numbers the block in which the frame came live, where its position
	// alone does not say which frames came before it; else 0.
	Block uint64
}

// Position returns the frame's place in its session.
func (f *Frame) Position() schema.Position { return schema.PositionOf(f.Stream.StreamID, &f.Frame) }

// Query says which frames are read.
type Query struct {
	From Place
	// To is the last position that is read; the zero Position stands for the end.
	To     schema.Position
	Filter Filter
	// Bare: the reader may leave the frames' envelopes empty.
	Bare bool
	// Few: only the first frames are wanted, so little is to be read ahead.
	Few bool
	// Paced: frames are wanted about as slowly as they were recorded, so that they
	// are better kept small than at hand.
	Paced bool
	// Unseen, if set, gives the number from which on a stream's frames are wanted.
	Unseen func(streamID string) uint64
}

// Place is a point on a tape.
type Place struct {
	Position schema.Position
	After    bool // just after the frame at Position; else just before it
	// Live: after all there is so far, on a Growing tape.
	Live bool
	// Block, if not 0, is that of the frame at Position: what came live before
	// that frame lies before the place, and nothing else does.
	Block uint64
}

// Before reports whether a frame at pos comes before the place: whether a reader
// that starts there passes over it.
func (p Place) Before(pos schema.Position) bool {
	c := pos.Compare(p.Position)
	return c < 0 || c == 0 && p.After
}

// FirstAt returns when the session's first frame arrived, ns.
func FirstAt(t Tape) int64 { return t.Streams()[0].FirstAt }

// LastAt returns when the session's last frame arrived so far, ns.
func LastAt(t Tape) int64 {
	var at int64
	for i := range t.Streams() {
		at = max(at, t.Streams()[i].LastAt)
	}
	return at
}

// LastSeq reads the number of a stream's last frame off its version. Where the
// version does not tell, it is the greatest number there is.
func LastSeq(s *schema.StreamState) uint64 {
	if end := schema.VersionEnd(s.Version); end >= s.FirstSeq+s.Frames {
		return end - 1
	}
	return math.MaxUint64
}

// StreamOf returns the stream with this id, or nil.
func StreamOf(t Tape, id string) *schema.StreamState {
	streams := t.Streams()
	for i := range streams {
		if streams[i].StreamID == id {
			return &streams[i]
		}
	}
	return nil
}

package replay

import (
	"context"
	"errors"

	"tapedeck/schema"
)

// ErrNoSession is returned for a session of which nothing is recorded.
var ErrNoSession = errors.New("no such session")

// Library finds the tape of a session. The error is ErrNoSession where there
// is none.
type Library interface {
	Tape(ctx context.Context, tenant, session string) (Tape, error)
}

// Tape is the recording of one session. It is safe for use by many players.
type Tape interface {
	// Streams are the session's streams, ordered by FirstAt, then StreamID;
	// there is at least one. The caller only reads them.
	Streams() []schema.StreamState
	// Read opens the frames from a place on.
	Read(ctx context.Context, q Query) (Reader, error)
}

// Reader gives the frames of a tape in position order, each once. It is used by
// one goroutine at a time.
type Reader interface {
	// Next gives the frames that follow: at least one, or an error, which is
	// io.EOF after the last. It waits while there are none yet and returns
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
}

// Position is the frame's place in its session.
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
}

// Place is a point on a tape.
type Place struct {
	Position schema.Position
	After    bool // just after the frame at Position; else just before it
}

// Before reports whether a frame at pos comes before the place: whether a reader
// that starts there passes over it.
func (p Place) Before(pos schema.Position) bool {
	c := pos.Compare(p.Position)
	return c < 0 || c == 0 && p.After
}

// FirstAt is when the session's first frame arrived, ns.
func FirstAt(t Tape) int64 { return t.Streams()[0].FirstAt }

// LastAt is when the session's last frame arrived so far, ns.
func LastAt(t Tape) int64 {
	var at int64
	for i := range t.Streams() {
		at = max(at, t.Streams()[i].LastAt)
	}
	return at
}

// StreamOf gives the stream with this id, or nil.
func StreamOf(t Tape, id string) *schema.StreamState {
	streams := t.Streams()
	for i := range streams {
		if streams[i].StreamID == id {
			return &streams[i]
		}
	}
	return nil
}

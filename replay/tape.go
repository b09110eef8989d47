package replay

import (
	"context"
	"errors"
	"math"

	"tapedeck/schema"
)

// ErrNoSession is returned for a session without recorded data.
var ErrNoSession = errors.New("no such session")

// ErrDeleted is returned by readers of a session that was deleted while they read.
var ErrDeleted = errors.New("the session was deleted")

// ErrLive is returned by Reader.Next, once, after all current frames of a running session. The
// following call of Next waits for more.
var ErrLive = errors.New("no more frames have been recorded so far")

// Library finds the tape of a session. The error is ErrNoSession if the session does not exist.
type Library interface {
	Tape(ctx context.Context, tenant, session string) (Tape, error)
}

// Tape is the recording of one session. It is safe for use by many players.
type Tape interface {
	// Streams returns the session's streams, ordered by FirstAt, then StreamID. There is at least
	// one. The caller must not modify them.
	Streams() []schema.StreamState
	// Read returns a reader of the frames from a place on.
	Read(ctx context.Context, q Query) (Reader, error)
	// Facts returns the stored facts that the dialects derived from the session's frames.
	Facts(ctx context.Context, q FactQuery) (Facts, error)
}

// Growing is a Tape whose session is running. Its readers return the recorded frames in position
// order, then ErrLive, then frames as they arrive. Frames of one stream are in order; a frame of
// another stream may be late. FirstAt of the first of its Streams never changes; other streams may
// be added.
type Growing interface {
	Tape
	// Edge returns when the latest known frame arrived, ns.
	Edge() int64
	// AsOf returns the time until which all frames are known, ns. It is the edge, or later if the
	// tape is known to have no frame after the edge. The time since the edge is measured by this
	// process's clock and added to it, so AsOf is in the recorder's time.
	AsOf() int64
}

// Reader returns the frames of a tape in position order, each once. It must be used by one
// goroutine at a time.
type Reader interface {
	// Next returns the next frames: at least one, or an error, which is io.EOF after the last
	// frame, or ErrLive. It waits while there are no frames yet. It returns early when ctx ends;
	// the reader can then only be closed. The frames and everything they point to are valid until
	// the following call of Next or Close.
	Next(ctx context.Context) ([]Frame, error)
	// Close releases the reader's resources. It must be called after Next has returned.
	Close() error
}

// Frame is a frame on a tape, with its stream.
type Frame struct {
	schema.Frame
	Stream *schema.StreamState // shared by the stream's frames; read only
	// Block is the number of the block in which the frame arrived live, if its position alone does
	// not determine which frames precede it; else 0.
	Block uint64
	// Encoding keeps the frame's encoding for other readers of a running session; nil for a frame
	// that this reader alone receives.
	Encoding *Encoding
}

// Position returns the frame's place in its session.
func (f *Frame) Position() schema.Position { return schema.PositionOf(f.Stream.StreamID, &f.Frame) }

// Query selects the frames to read.
type Query struct {
	From Place
	// To is the last position to read; the zero Position means the end.
	To     schema.Position
	Filter Filter
	// Bare allows the reader to leave the envelopes of frames empty.
	Bare bool
	// Few limits reading ahead, since only the first frames are needed.
	Few bool
	// Paced is set if frames are needed about as slowly as they were recorded, so that pages are
	// kept compressed.
	Paced bool
	// Unseen, if set, returns the number of the first frame of a stream to read.
	Unseen func(streamID string) uint64
}

// Place is a point on a tape.
type Place struct {
	Position schema.Position
	After    bool // just after the frame at Position; else just before it
	// Live is the place after all current frames, on a Growing tape.
	Live bool
	// Block, if not 0, is the block of the frame at Position. The frames before the place are then
	// exactly those that arrived live before that frame.
	Block uint64
}

// Before reports whether a frame at pos precedes the place, so that a reader that starts there
// skips it.
func (p Place) Before(pos schema.Position) bool {
	c := pos.Compare(p.Position)
	return c < 0 || c == 0 && p.After
}

// FirstAt returns when the session's first frame arrived, ns.
func FirstAt(t Tape) int64 { return t.Streams()[0].FirstAt }

// LastAt returns when the session's last frame so far arrived, ns.
func LastAt(t Tape) int64 {
	var at int64
	for i := range t.Streams() {
		at = max(at, t.Streams()[i].LastAt)
	}
	return at
}

// LastSeq returns the number of a stream's last frame, from its version. If the version does not
// contain it, LastSeq returns the maximum number.
func LastSeq(s *schema.StreamState) uint64 {
	if end := schema.VersionEnd(s.Version); end >= s.FirstSeq+s.Frames {
		return end - 1
	}
	return math.MaxUint64
}

// StreamOf returns the stream with the given id, or nil.
func StreamOf(t Tape, id string) *schema.StreamState {
	streams := t.Streams()
	for i := range streams {
		if streams[i].StreamID == id {
			return &streams[i]
		}
	}
	return nil
}

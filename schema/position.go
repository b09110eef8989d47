package schema

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Position is a frame's position in its session. Positions are totally ordered by (At, StreamID,
// Seq). The text form is the cursor of pages and the id for resuming. The zero Position precedes
// every frame.
type Position struct {
	At       int64 // arrival, ns
	StreamID string
	Seq      uint64
}

// PositionOf returns the position of frame f of a stream.
func PositionOf(streamID string, f *Frame) Position {
	return Position{At: f.At, StreamID: streamID, Seq: f.Seq}
}

// Compare compares positions: negative if p precedes q.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.At, q.At), strings.Compare(p.StreamID, q.StreamID), cmp.Compare(p.Seq, q.Seq))
}

// IsZero reports whether p is the position before every frame.
func (p Position) IsZero() bool { return p == Position{} }

// String returns "<ns>.<stream id>.<seq>".
func (p Position) String() string {
	return strconv.FormatInt(p.At, 10) + "." + p.StreamID + "." + strconv.FormatUint(p.Seq, 10)
}

// ParsePosition is the inverse of String.
func ParsePosition(s string) (Position, error) {
	at, rest, ok1 := strings.Cut(s, ".")
	stream, seq, ok2 := strings.Cut(rest, ".")
	ns, err1 := strconv.ParseInt(at, 10, 64)
	n, err2 := strconv.ParseUint(seq, 10, 64)
	if !ok1 || !ok2 || err1 != nil || err2 != nil {
		return Position{}, fmt.Errorf("position %q is not of the form <ns>.<stream_id>.<seq>", s)
	}
	if _, err := StreamStarted(stream); err != nil {
		return Position{}, fmt.Errorf("position %q: %w", s, err)
	}
	return Position{At: ns, StreamID: stream, Seq: n}, nil
}

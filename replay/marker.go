package replay

import (
	"errors"
	"time"
)

// MarkerAllowed lists what ParseMarker takes.
var MarkerAllowed = []string{"type:<frame type>", "a position <ns>.<stream_id>.<seq>"}

// ParseMarker reads what marks frames for a player to pause at: "type:tool_call"
// marks all frames of a type, a position the one frame.
func ParseMarker(s string) (Mark, error) {
	m, err := ParseMark(s)
	if err == nil && m.kind != markType && m.kind != markPosition {
		err = &MarkError{s, "it marks no frames"}
	}
	return m, err
}

// CheckMarker reports, as a MarkError, that a position is of a stream that the
// tape has not: no frame of it can be marked.
func (m Mark) CheckMarker(t Tape) error {
	if m.kind != markPosition || m.IsZero() {
		return nil
	}
	return m.check(t)
}

// marks reports whether the mark, one of ParseMarker's or none, marks the frame.
func (m *Mark) marks(f *Frame) bool {
	switch {
	case m.kind == markType:
		return m.text == f.Type
	case m.text == "":
		return false
	}
	return m.position.Seq == f.Seq && m.position.StreamID == f.Stream.StreamID
}

// errMarked ends a player that is to end at a marked frame.
var errMarked = errors.New("a marked frame was played")

// atMarker pauses at the frame that was played last.
func (p *Player) atMarker() error {
	if p.opts.EndAtMarker {
		return errMarked
	}
	p.pause(time.Now())
	p.clock.snap()
	return p.notify(SetMark)
}

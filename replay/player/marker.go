package player

import (
	"errors"
	"time"

	"tapedeck/replay"
)

// MarkerAllowed lists the forms that ParseMarker accepts.
var MarkerAllowed = []string{"type:<frame type>", "a position <ns>.<stream_id>.<seq>"}

// ParseMarker parses a mark at which a player pauses: "type:tool_call" marks all frames of a type,
// a position marks one frame.
func ParseMarker(s string) (Mark, error) {
	m, err := ParseMark(s)
	if err == nil && m.kind != markType && m.kind != markPosition {
		err = &MarkError{s, "it marks no frames"}
	}
	return m, err
}

// CheckMarker returns a MarkError if the mark is a position in a stream that the tape does not
// have.
func (m Mark) CheckMarker(t replay.Tape) error {
	if m.kind != markPosition || m.IsZero() {
		return nil
	}
	return m.check(t)
}

// marks reports whether m, a result of ParseMarker or zero, marks the frame.
func (m *Mark) marks(f *replay.Frame) bool {
	switch {
	case m.kind == markType:
		return m.text == f.Type
	case m.text == "":
		return false
	}
	return m.position.Seq == f.Seq && m.position.StreamID == f.Stream.StreamID
}

// errMarked ends a player that has EndAtMarker set.
var errMarked = errors.New("a marked frame was played")

// atMarker pauses after the frame played last.
func (p *Player) atMarker() error {
	if p.opts.EndAtMarker {
		return errMarked
	}
	p.pause(time.Now())
	p.clock.snap()
	return p.notify(SetMark)
}

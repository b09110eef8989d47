package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// MarkError reports that a mark is not a place on the tape.
type MarkError struct {
	Mark   string // as written by the client
	Reason string
}

func (e *MarkError) Error() string { return fmt.Sprintf("place %q: %s", e.Mark, e.Reason) }

// MarkAllowed lists the forms that ParseMark accepts.
var MarkAllowed = []string{"a position <ns>.<stream_id>.<seq>", "an offset such as +12.5s", "type:<frame type>", "live"}

// Mark is a place in text form: a position, an offset from the session's first frame, the first
// frame of a type, or the current end of the tape.
type Mark struct {
	text     string
	block    uint64
	position schema.Position
	offset   time.Duration
	kind     markKind
}

type markKind uint8

const (
	markPosition markKind = iota
	markOffset
	markType
	markLive
)

// IsZero reports whether m is the zero Mark.
func (m Mark) IsZero() bool { return m == Mark{} }

// String returns the mark as the client wrote it.
func (m Mark) String() string {
	if m.kind == markType {
		return "type:" + m.text
	}
	return m.text
}

// LiveMark is the place after all current frames.
var LiveMark = Mark{text: "live", kind: markLive}

// liveSign separates a position from a block number.
const liveSign = "~"

// AppendResume appends the text of the place just after a live frame, for ParseMark: the position
// and the number of the block.
func AppendResume(dst, position []byte, block uint64) []byte {
	return strconv.AppendUint(append(append(dst, position...), liveSign...), block, 10)
}

// ParseMark parses "<position>", "+12.5s", "type:tool_call" or "live", and "<position>~<block>" as
// written by AppendResume. It accepts a space in place of the plus, since an unescaped + in a URL
// decodes to a space.
func ParseMark(s string) (Mark, error) {
	if s == LiveMark.text {
		return LiveMark, nil
	}
	if name, ok := strings.CutPrefix(s, "type:"); ok {
		if name == "" {
			return Mark{}, &MarkError{s, "no type is named"}
		}
		return Mark{text: name, kind: markType}, nil
	}
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, " ") {
		d, err := time.ParseDuration(s[1:])
		if err != nil || d < 0 {
			return Mark{}, &MarkError{s, "an offset is a duration from the first frame on, such as +12.5s or +2m"}
		}
		return Mark{text: s, offset: d, kind: markOffset}, nil
	}
	position, number, live := strings.Cut(s, liveSign)
	m := Mark{text: s}
	var err error
	if m.position, err = schema.ParsePosition(position); err != nil {
		return Mark{}, &MarkError{s, err.Error()}
	}
	if live {
		if m.block, err = strconv.ParseUint(number, 10, 64); err != nil || m.block == 0 {
			return Mark{}, &MarkError{s, "what follows " + liveSign + " is the number of a block"}
		}
	}
	return m, nil
}

// ParseResume parses the place just after a played frame: its position, or the text of
// AppendResume.
func ParseResume(s string) (Mark, error) {
	m, err := ParseMark(s)
	if err == nil && m.kind != markPosition {
		err = &MarkError{s, "it is not the id of a frame"}
	}
	return m, err
}

// Start returns the place from which playing begins at the mark: the marked frame is the first. The
// error is a MarkError if the tape has no such place.
func (m Mark) Start(ctx context.Context, t replay.Tape) (replay.Place, error) {
	switch m.kind {
	case markOffset:
		return replay.Place{Position: schema.Position{At: later(replay.FirstAt(t), m.offset)}}, nil
	case markType:
		p, err := m.find(ctx, t, replay.Place{})
		return replay.Place{Position: p}, err
	case markLive:
		_, growing := t.(replay.Growing)
		return replay.Place{Position: endOf(replay.LastAt(t)), Live: growing}, nil
	default:
		return replay.Place{Position: m.position, Block: m.block}, m.check(t)
	}
}

// Stop returns the last position to play when playing from a place up to the mark: the marked frame
// is the last. The error is a MarkError if there is no such place.
func (m Mark) Stop(ctx context.Context, t replay.Tape, from replay.Place) (schema.Position, error) {
	switch m.kind {
	case markOffset:
		return endOf(later(replay.FirstAt(t), m.offset)), nil
	case markType:
		return m.find(ctx, t, from)
	case markLive:
		return endOf(replay.LastAt(t)), nil
	default:
		return m.position, m.check(t)
	}
}

// endOf returns a position after all positions of a time.
func endOf(at int64) schema.Position {
	return schema.Position{At: at, StreamID: "\xff", Seq: math.MaxUint64}
}

func later(at int64, d time.Duration) int64 {
	if int64(d) > math.MaxInt64-at {
		return math.MaxInt64
	}
	return at + int64(d)
}

func (m Mark) check(t replay.Tape) error {
	if replay.StreamOf(t, m.position.StreamID) == nil {
		return &MarkError{m.text, "its stream is not one of this session"}
	}
	return nil
}

// find returns the position of the first frame of the type.
func (m Mark) find(ctx context.Context, t replay.Tape, from replay.Place) (schema.Position, error) {
	r, err := t.Read(ctx, replay.Query{From: from, Filter: replay.Filter{Types: []string{m.text}}, Few: true})
	if err != nil {
		return schema.Position{}, fmt.Errorf("find the first frame of type %q: %w", m.text, err)
	}
	defer r.Close()
	frames, err := r.Next(ctx)
	if errors.Is(err, io.EOF) || errors.Is(err, replay.ErrLive) {
		return schema.Position{}, &MarkError{"type:" + m.text, "the session has no such frame from there on"}
	}
	if err != nil {
		return schema.Position{}, fmt.Errorf("find the first frame of type %q: %w", m.text, err)
	}
	return frames[0].Position(), nil
}

// Package model keeps the open parts of a conversation while its frames are read: a run, its
// steps, its calls of a model, its tool calls and growing messages. Dialects call it with events,
// and it emits the facts, so that the same event becomes the same facts in every protocol. What
// it keeps is bounded, and is settled when the stream ends.
package model

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Stream is the state that all conversations of one stream share: the present frame and its
// emitter. A decoder has one Stream, and one Conversation for each conversation in the stream.
type Stream struct {
	Emitter *dialect.Emitter
	Frame   *schema.Frame
	// Untimed: the present frame reports in one piece what took some time. Spans that begin with
	// it have no start and no first token.
	Untimed bool
	line    uint64 // hash of the present frame if its bytes are unique, see BeginLine; 0 if not
	part    string // added to the ids that begin with the present frame
	next    uint64 // Seq after the latest frame
	made    []made // ids that began with the present frame
	// instructed has hashes of the latest prompts and lists of tools of requests.
	instructed dialect.Recent
}

// made counts the ids of one kind.
type made struct {
	kind string
	n    int
}

// Begin makes a frame the present one.
func (s *Stream) Begin(in *dialect.Input, b *dialect.Emitter) {
	s.Emitter, s.Frame, s.next, s.line = b, in.Frame, in.Seq+1, 0
	s.Part("")
}

// BeginLine is Begin for a line of a history that an agent keeps. unique says that the line states
// its time or an id of its own, so that no other line has its bytes. The ids of facts that begin
// with such a line follow from its bytes: a history that is recorded twice, at whatever times, has
// its facts once.
func (s *Stream) BeginLine(in *dialect.Input, b *dialect.Emitter, unique bool) {
	s.Begin(in, b)
	if unique {
		s.line = xxhash.Sum64(in.Data)
	}
}

// Part separates the ids that begin with the present frame from now on from the earlier ones, for
// one of several events in a frame. The first part of a frame is empty.
func (s *Stream) Part(part string) { s.part, s.made = part, s.made[:0] }

// Done ends the present frame.
func (s *Stream) Done() { s.Emitter, s.Frame = nil, nil }

// End makes the end of the stream the present frame. at is when the stream ended, ns.
func (s *Stream) End(at int64, b *dialect.Emitter) {
	s.Emitter, s.Frame, s.line = b, &schema.Frame{Seq: s.next, At: at}, 0
	s.Part("")
}

// ID returns the id of a fact that begins with the present frame. Another stream has it only if
// it has the same line, see BeginLine.
func (s *Stream) ID(kind string) string {
	var id string
	if s.line != 0 {
		id = dialect.EventID(kind, s.line)
	} else {
		id = s.Emitter.LocalID(kind, s.Frame)
	}
	if s.part != "" {
		id += s.part
	}
	for i := range s.made {
		if s.made[i].kind == kind {
			s.made[i].n++
			return id + "." + strconv.Itoa(s.made[i].n)
		}
	}
	s.made = append(s.made, made{kind: kind})
	return id
}

// SettleSpan closes a span, or sets a status without an end: waiting or unclosed.
func (s *Stream) SettleSpan(span *dialect.Span, status schema.Status) {
	if status.Ended() && status != schema.StatusUnclosed {
		s.Emitter.CloseSpan(span, status, s.Frame)
		return
	}
	span.Status = status
	s.Emitter.ChangedSpan(span, s.Frame)
}

// Unknown marks the present frame as of an unknown type.
func (s *Stream) Unknown() { s.Frame.Flags |= schema.FlagUnknownType }

package ingest

import (
	"sync"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// parsers are shared among streams, so that an idle stream holds none.
var parsers = sync.Pool{New: func() any { return new(fastjson.Parser) }}

// largeMessage is the size, bytes, from which on the memory that a message
// took to parse is given back rather than kept for the next.
const largeMessage = 1 << 20

// look prepares a frame for a dialect (framing off, JSON parsed), marks it
// FlagNotJSON where its message is not one JSON value, FlagTooDeep where that is
// nested too deep to be parsed, and calls see. The input is valid during the call.
func (s *Stream) look(f *schema.Frame, see func(in *dialect.Input)) {
	content, scratch := schema.Unframe(f, s.scratch)
	in := &s.input // kept, since what see is given would be allocated for each frame
	*in = dialect.Input{Frame: f, Data: content.Data, Event: content.Event, ID: content.ID}
	defer func() { *in = dialect.Input{} }() // it would hold on to the bytes
	if content.Empty || f.Flags.Has(schema.FlagOversize) {
		in.Data = nil // no message, or a piece of one, which says nothing
		see(in)
		return
	}
	if s.readsText() {
		if in.JSON = dialect.Valid; wellformed.Deep(in.Data) || !wellformed.JSON(in.Data) {
			in.JSON = nil
			f.Flags |= unread(f, in.Data)
		}
		see(in)
		s.keepScratch(scratch)
		return
	}
	parser := parsers.Get().(*fastjson.Parser)
	in.JSON = parse(parser, in.Data)
	if in.JSON == nil {
		f.Flags |= unread(f, in.Data)
	}
	see(in)
	if len(in.Data) < largeMessage {
		parsers.Put(parser)
	}
	s.keepScratch(scratch)
}

func (s *Stream) keepScratch(scratch []byte) {
	if cap(scratch) < largeMessage {
		s.scratch = scratch
	}
}

// readsText reports whether the next frame need not be parsed: its decoder does
// not ask for it, and nobody else looks at it.
func (s *Stream) readsText() bool {
	return s.decoder.text != nil && s.hold == nil && s.late == nil && !s.opts.FrameClock && s.decoder.text.ReadsText()
}

// parse returns nil for text that is not one valid JSON value, and for a value that is
// nested too deep. The parser alone is lenient, hence the validation.
func parse(p *fastjson.Parser, data []byte) *fastjson.Value {
	if wellformed.Deep(data) || !wellformed.JSON(data) {
		return nil
	}
	v, err := p.ParseBytes(data)
	if err != nil {
		return nil
	}
	return v
}

// unread returns the flag of a message that was not parsed.
func unread(f *schema.Frame, data []byte) schema.Flags {
	switch {
	case wellformed.Deep(data) && wellformed.JSON(data):
		return schema.FlagTooDeep
	case mustBeJSON(f, data):
		return schema.FlagNotJSON
	}
	return 0
}

// mustBeJSON leaves out HTTP heads and bodies, and the end marker that streams
// of JSON commonly close with.
func mustBeJSON(f *schema.Frame, data []byte) bool {
	return f.Transport != schema.HTTP && string(data) != "[DONE]"
}

// decode runs the decoder over a frame, which fills in its envelope.
func (s *Stream) decode(f *schema.Frame) {
	if s.opts.FrameClock {
		s.stamp(f)
	}
	s.look(f, s.read)
}

// read passes a frame to the decoder, and records whether it ended an answer.
func (s *Stream) read(in *dialect.Input) {
	s.decoder.Decode(in, s.emitter)
	s.answered = s.decoder.answered(in, s.answered)
}

package ingest

import (
	"cmp"
	"sync"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// Parser prepares frames for a dialect. The zero Parser is ready for use. It is for one goroutine.
type Parser struct {
	// Depth is the number of levels of JSON that are parsed; 0 means wellformed.MaxDepth, which is
	// also the maximum.
	Depth int

	scratch []byte // joined SSE data
	input   dialect.Input
}

// parsers are shared between streams, so that an idle stream holds none.
var parsers = sync.Pool{New: func() any { return new(fastjson.Parser) }}

// largeMessage is the size of a message from which on the memory for parsing it is released instead
// of reused, bytes.
const largeMessage = 1 << 20

// Parse removes a frame's framing, parses its message and calls use. It marks the frame FlagNotJSON
// if the message is not one JSON value, and FlagTooDeep if the message is nested too deep or has
// too many values to be parsed. The input is valid during the call.
func (p *Parser) Parse(f *schema.Frame, use func(in *dialect.Input)) { p.parse(f, false, use) }

// parse implements Parse. With textOnly set it only validates the message: see dialect.TextReader.
func (p *Parser) parse(f *schema.Frame, textOnly bool, use func(in *dialect.Input)) {
	content, scratch := schema.Unframe(f, p.scratch)
	in := &p.input // a field, since a variable would be allocated for each frame
	*in = dialect.Input{Frame: f, Data: content.Data, Event: content.Event, ID: content.ID}
	defer func() { *in = dialect.Input{} }() // otherwise it would keep the frame's bytes alive
	if content.Empty || f.Flags.Has(schema.FlagOversize) || isUndispatched(f, in.Data) {
		in.Data = nil // no message, a piece of a message, or a message that no client sees
		use(in)
		return
	}
	depth, valid := wellformed.Check(in.Data) // the parser itself is lenient
	tooDeep := valid && depth > cmp.Or(p.Depth, wellformed.MaxDepth)
	var parser *fastjson.Parser
	switch {
	case !valid || tooDeep:
	case textOnly:
		in.JSON = dialect.Valid
	case wellformed.Many(in.Data): // the parser needs a multiple of the bytes of many values
		tooDeep = true
	default:
		parser = parsers.Get().(*fastjson.Parser)
		if v, err := parser.ParseBytes(in.Data); err == nil {
			in.JSON = v
		}
	}
	switch {
	case tooDeep:
		f.Flags |= schema.FlagTooDeep
	case in.JSON == nil && mustBeJSON(f, in.Data):
		f.Flags |= schema.FlagNotJSON
	}
	use(in)
	if parser != nil && len(in.Data) < largeMessage {
		parsers.Put(parser)
	}
	if cap(scratch) < largeMessage {
		p.scratch = scratch
	}
}

// isUndispatched reports whether a frame is an SSE event without its blank line, at the end of the
// stream. Clients do not dispatch such an event (WHATWG HTML, section 9.2.6), so that nothing is
// concluded from it. The end marker is not a message, but ends an answer all the same.
func isUndispatched(f *schema.Frame, data []byte) bool {
	return f.Transport == schema.SSE && f.Flags.Has(schema.FlagUnterminated) && string(data) != dialect.DoneMarker
}

// mustBeJSON returns false for HTTP heads and bodies, and for the end marker that JSON streams
// commonly close with.
func mustBeJSON(f *schema.Frame, data []byte) bool {
	return f.Transport != schema.HTTP && string(data) != dialect.DoneMarker
}

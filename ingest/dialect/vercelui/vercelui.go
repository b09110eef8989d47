// Package vercelui reads what the AI SDK sends to its user interfaces: the UI message stream of
// version 5 and later, and the data stream of version 4, lines of a letter and JSON.
// docs/dialects/vercel-ui.md describes how it reads them.
package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the AI SDK's stream protocol for user interfaces. Its chunks carry
// no times.
var Dialect = dialect.Dialect{
	Name: "vercel-ui", Match: match,
	Ends: dialect.EndsWith("finish", "abort", "finish_message"), New: newDecoder,
}

// decoder reads one stream.
type decoder struct {
	model.Conversation
	stream model.Stream

	run      runState
	lines    lines
	id       dialect.Last // of messages
	model    dialect.Last
	refusal  model.Refusal
	whole    bool // the message comes from its start: it was requested, or is resumed
	afterEnd bool // the previous frame was [DONE]
	tail     dialect.Tail
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Stream = &d.stream
	return d
}

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if d.afterEnd {
		d.afterEnd = false
		d.forget()
	}
	head, isHead := dialect.HeadOf(in)
	switch {
	case isHead:
		d.head(in, &head)
	case len(in.Data) == 0:
		return
	case in.Direction == schema.Send:
		d.request(in)
	case d.refusal.Refused():
		d.refused(in.Data)
	case in.Transport == schema.HTTP && (d.lines.seen || in.JSON == nil):
		d.piece(in.Data)
	case in.JSON != nil:
		d.chunk(in)
	case string(in.Data) == dialect.DoneMarker:
		in.Type = dialect.DoneMarker
		if d.Run() != nil {
			d.finish(nil) // no earlier frame ended it
		}
		d.afterEnd = true
	case in.Transport != schema.SSE:
		in.Type = d.line(in.Data)
	}
	d.Address()
	in.EventID = in.ID
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	defer d.Done()
	d.lines.end(d)
	d.leaveRun()
}

// chunk reads a chunk of the UI message stream.
func (d *decoder) chunk(in *dialect.Input) {
	typ, known := chunks.Of(in.JSON.GetStringBytes("type"))
	in.Type = typ.Name
	switch {
	case d.tail.Again(in.Data, d.Run() != nil):
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
	case typ.Handle.read != nil:
		typ.Handle.read(d, in)
	case known:
	case bytes.HasPrefix(in.JSON.GetStringBytes("type"), []byte("data-")):
		d.data(in)
	default:
		if in.Type == "" {
			in.Type = in.Event
		}
		d.Unknown()
	}
}

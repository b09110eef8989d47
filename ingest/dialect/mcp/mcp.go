// Package mcp reads the Model Context Protocol: the JSON-RPC messages between a client and a
// server of tools, over streamable HTTP as a proxy records it, and as lines of stdio.
// docs/dialects/mcp.md describes how it reads them.
package mcp

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Model Context Protocol.
var Dialect = dialect.Dialect{
	Name: "mcp", Match: match,
	Ends: dialect.EndsWith(typeResult, typeError), New: newDecoder,
}

// Types of frames that have no method. Other frames have the name of their method.
const (
	typeResult = "result"
	typeError  = "error"
	typeBatch  = "batch"
)

// decoder reads one stream: an HTTP exchange, or all messages of a connection.
type decoder struct {
	model.Conversation
	stream  model.Stream
	session dialect.Last
	waiting []request // without a response
	refusal model.Refusal
	shared  uint64 // identifies the present call; 0 if only this stream has it
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Stream = &d.stream
	d.LocalTools, d.ToolLimit, d.SharedID = true, requestLimit, d.factID
	return d
}

// factID returns the id of a fact of a call. It is the same in all streams of an MCP session.
func (d *decoder) factID(kind string) string {
	if d.shared == 0 {
		return d.ID(kind)
	}
	return dialect.EventID(kind, d.shared)
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 {
		d.data(in)
	} else {
		in.Flags &^= schema.FlagNotJSON // an event without data only has an id, for reconnects
	}
	in.EventID = in.ID
	d.Address()
}

// data reads a frame's message, or the messages of a batch.
func (d *decoder) data(in *dialect.Input) {
	switch {
	case in.JSON == nil:
		d.text(in)
	case in.JSON.Type() == fastjson.TypeArray:
		in.Type = typeBatch
		dialect.Elements(in.JSON.GetArray(), in.Data, 0, func(_ int, v *fastjson.Value, raw []byte) {
			d.message(v, raw)
		})
	default:
		in.Type = d.message(in.JSON, in.Data)
	}
	if in.Transport == schema.HTTP && in.Direction == schema.Receive {
		d.refused(in.Data)
	}
}

// text reads a message that is not JSON, such as the page of a gateway.
func (d *decoder) text(in *dialect.Input) {
	if in.Transport != schema.HTTP {
		in.Type = dialect.Intern([]byte(in.Event))
	}
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	d.refused(nil)
	d.Abandon()
	d.Done()
}

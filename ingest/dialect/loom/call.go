package loom

import (
	"cmp"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// A call of a model begins when its node had nothing else to do. It ends with its usage, else
// with its node's exit.

// callIn returns the call in progress in a node, and begins one if there is none. Its name is the
// model's, else the node's, else the given one.
func (r *run) callIn(n *node, name []byte) *dialect.Span {
	if call := n.Call(); call != nil {
		return call
	}
	call := n.OpenCall()
	if call.Name == "" {
		call.Name = cmp.Or(n.name, string(name))
	}
	if n.free != 0 && !r.Untimed {
		call.Started = n.free
	}
	r.uncosted = nil
	return call
}

// endCall ends the call in progress and returns it, or nil.
func (n *node) endCall(status schema.Status, why string) *dialect.Span {
	call := n.Call()
	if call != nil {
		n.CompleteAll()
		call.Error = why
		n.EndCall(status)
	}
	return call
}

// said reads a message_chunk.
func (d *decoder) said(r *run, e *event) { d.chunk(r, e, schema.MessageAssistant) }

// thought reads a thought_chunk.
func (d *decoder) thought(r *run, e *event) {
	if content := d.chunk(r, e, schema.MessageThinking); len(content) > 0 {
		if r.thoughts == nil {
			r.thoughts = xxhash.New()
		}
		r.thoughts.Write(content)
	}
}

// chunk adds to a call's output and returns the piece. Providers begin with an empty piece before
// there is output.
func (d *decoder) chunk(r *run, e *event, kind schema.MessageKind) (content []byte) {
	if e.export {
		content = dialect.RawText(e.o.member[fChunk], "content")
	} else {
		content = e.o.text(fContent)
	}
	n := r.of(e, true)
	call := r.callIn(n, e.name)
	if len(content) == 0 {
		return nil
	}
	m := n.Growing(kind, nil)
	if m == nil {
		m = n.BeginText(kind, nil)
		if m.Node = call.Node; kind == schema.MessageThinking {
			r.thinking = m
		}
	}
	d.Emitter.Append(m, content, d.Frame)
	n.FirstToken()
	return content
}

package loom

import (
	"cmp"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// call is a call of a model in progress: from the moment from which on its
// node had nothing else to do until its usage, else until its node's exit.
type call struct {
	span          *dialect.Span
	text, thought *dialect.Message
}

// costless is a call that ended with its node before its usage came.
type costless struct {
	node string
	call *call
}

// callIn gives the call in progress in a node, and begins one if there is none.
// It goes by the model's name, else the node's, else the given one.
func (d *decoder) callIn(r *run, n *node, name string) *call {
	if n.call != nil {
		return n.call
	}
	s := d.emitter.OpenSpan(schema.SpanLLM, d.id("llm"), cmp.Or(r.model, n.name, name), d.frame)
	r.fill(&s.Fact, n)
	s.Parent = r.parent(n)
	s.Model, s.Provider = r.model, r.provider
	if n.free != 0 {
		s.Started = n.free
	}
	d.unclock(s)
	n.call = &call{span: s}
	r.uncosted = nil
	return n.call
}

// token says that a model's output arrived.
func (d *decoder) token(c *call) {
	if c.span.FirstToken == 0 && !d.bundled {
		c.span.FirstToken = d.frame.At
		d.emitter.ChangedSpan(c.span, d.frame)
	}
}

// chunk reads a message_chunk or thought_chunk.
func (d *decoder) chunk(r *run, e *event) {
	n := r.of(e, true)
	c := n.call
	if c == nil {
		c = d.callIn(r, n, string(e.name))
	}
	if len(e.content) == 0 {
		return // providers begin with one, before there is any output
	}
	d.token(c)
	if e.kind == messageChunk {
		if c.text == nil {
			c.text = d.say(r, c, schema.MessageAssistant, "assistant")
		}
		d.emitter.Append(c.text, e.content, d.frame)
		return
	}
	if c.thought == nil {
		c.thought = d.say(r, c, schema.MessageThinking, "thinking")
		r.thinking = c.thought
	}
	d.emitter.Append(c.thought, e.content, d.frame)
	if r.thoughts == nil {
		r.thoughts = xxhash.New()
	}
	r.thoughts.Write(e.content)
}

func (d *decoder) say(r *run, c *call, kind schema.MessageKind, id string) *dialect.Message {
	m := d.emitter.OpenMessage(kind, d.id(id), d.frame)
	r.fill(&m.Fact, nil)
	m.Node, m.Span, m.Media = c.span.Node, c.span.ID, "text"
	return m
}

func (d *decoder) endCall(c *call, status schema.Status, err string) {
	d.complete(c.text)
	d.complete(c.thought)
	c.span.Error = err
	d.emitter.CloseSpan(c.span, status, d.frame)
}

func (d *decoder) abandonCall(c *call) {
	d.complete(c.text)
	d.complete(c.thought)
	d.abandon(c.span)
}

// costs reads a usage event: the tokens of one call, which it ends.
func (d *decoder) costs(r *run, e *event) {
	n := r.of(e, false)
	var c *call
	if u := r.uncosted; u != nil && n.call == nil && u.node == string(e.node) {
		c = u.call // its usage came late
		r.uncosted = nil
	} else {
		known := n.call != nil || n.free != 0
		c = d.callIn(r, n, "")
		if !known {
			c.span.Started = 0 // only its end was seen
		}
		d.endCall(c, schema.StatusOK, "")
		n.call = nil
		if n.free != 0 {
			n.free = d.frame.At
		}
	}
	counts := countsOf(e.o)
	u := d.emitter.Use(d.shared("usage"), c.span.ID, schema.UsageAdd, counts.tokens(), d.frame)
	r.fill(&u.Fact, nil)
	u.Node, u.Span = c.span.Node, c.span.ID
	u.Model, u.Provider = r.model, r.provider
	u.Total, u.Raw = counts.total, string(e.raw)
	r.sums.add(counts)
}

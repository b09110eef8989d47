package custom

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// subagent is the place of what a frame states of the sub-agent to which it belongs.
type subagent struct{ id, call, name places }

// openSubagents bounds the sub-agents of a run that are kept.
const openSubagents = 64

// subagent reads "subagent: {id: PATH, call: PATH, name: PATH}".
func (o *object) subagent() *subagent {
	t := o.child("subagent", "id", "call", "name")
	if t == nil {
		return nil
	}
	return &subagent{id: t.need("id"), call: t.places("call"), name: t.places("name")}
}

// subagentOf returns the sub-agent to which a frame belongs, or nil for a frame of the agent itself.
// A rule that names a sub-agent takes precedence over the path of the file.
func (d *decoder) subagentOf(c *conversation, s *source) *conversation {
	id := d.mapping.fields.subagent.text(s)
	var call, name []byte
	for i := range d.mapping.rules {
		r := &d.mapping.rules[i]
		if r.subagent == nil || !r.applies(s.in) || !r.when.hold(s) {
			continue
		}
		if named := r.subagent.id.text(s); len(named) > 0 {
			id, call, name = named, r.subagent.call.text(s), r.subagent.name.text(s)
			break
		}
	}
	if len(id) == 0 {
		return nil
	}
	return c.subagent(id, call, name)
}

// subagent returns the sub-agent with an id, and begins one if there is none: below the tool call in
// which it works, else below the run. The id of the call is the id of the sub-agent if it is not
// stated.
func (c *conversation) subagent(id, call, name []byte) *conversation {
	for _, a := range c.subagents {
		if a.Node == string(id) {
			return a
		}
	}
	if len(c.subagents) == openSubagents {
		c.subagents[0].Abandon()
		c.subagents = slices.Delete(c.subagents, 0, 1)
	}
	if len(call) == 0 {
		call = id
	}
	below := c.InRun()
	if tool := c.anyTool(call); tool != nil {
		below = tool.Span
	}
	a := &conversation{decoder: c.decoder, sub: true}
	a.Stream, a.Session, a.RunID, a.LocalTools, a.Whole = c.Stream, c.Session, c.RunID, true, c.Whole
	a.Node, a.Agent = string(id), string(name)
	a.Nest(below)
	a.OpenStep(a.Agent)
	c.subagents = append(c.subagents, a)
	return a
}

// anyTool returns the call in progress with an id, of the agent or one of its sub-agents, or nil.
func (c *conversation) anyTool(id []byte) *model.Tool {
	if tool := c.OpenTool(id); tool != nil {
		return tool
	}
	for _, a := range c.subagents {
		if tool := a.OpenTool(id); tool != nil {
			return tool
		}
	}
	return nil
}

// leave marks what is open as unclosed, also in sub-agents.
func (c *conversation) leave() {
	for _, a := range c.subagents {
		a.Abandon()
	}
	c.subagents = nil
	c.Abandon()
}

// span is the span that an error of the conversation is of: the run, or the node of a sub-agent.
func (c *conversation) span() *dialect.Span {
	if !c.sub {
		return c.InRun()
	}
	return c.Step()
}

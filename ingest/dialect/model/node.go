package model

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// OpenNode begins a node's run below a span of this conversation, and returns
// what happens in the node as a conversation of its own, whose run is the node.
// A run may be in several nodes at a time, and in one more than once. The node's
// EndRun and Abandon end it; the conversation that it was opened in does not.
func (t *Conversation) OpenNode(id, name string, below *dialect.Span) Conversation {
	n := Conversation{
		Stream: t.Stream, Session: t.Session, RunID: t.RunID, Node: id, Agent: t.Agent,
		Model: t.Model, Provider: t.Provider, LocalTools: t.LocalTools, SharedID: t.SharedID,
	}
	n.run = n.open(schema.SpanNode, t.ID("node"), name, below)
	return n
}

// Executing is the call that was started last of those that a node executes, nil
// for none: what happens while it runs is part of it, as it may be an agent.
func (t *Conversation) Executing() *Tool {
	for i := len(t.tools) - 1; i >= 0; i-- {
		if t.tools[i].In != nil {
			return t.tools[i]
		}
	}
	return nil
}

// Leave ends the execution of what a node executes, even if no end of it was
// seen; nil is for all nodes.
func (t *Conversation) Leave(node *Conversation) {
	for _, tool := range t.tools {
		if node == nil || tool.In == node {
			tool.In = nil
		}
	}
}

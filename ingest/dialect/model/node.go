package model

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// OpenNode begins the run of a node below a span of this conversation. It returns a conversation
// whose run is the node. A run may be in several nodes at a time, and in one node more than once.
// EndRun and Abandon of the node's conversation end the node; the conversation that opened it
// does not.
func (t *Conversation) OpenNode(id, name string, below *dialect.Span) Conversation {
	n := Conversation{
		Stream: t.Stream, Session: t.Session, RunID: t.RunID, Node: id, Agent: t.Agent,
		Model: t.Model, Provider: t.Provider, LocalTools: t.LocalTools, SharedID: t.SharedID,
	}
	n.run = n.open(schema.SpanNode, t.ID("node"), name, below)
	return n
}

// Executing returns the latest call that a node executes, or nil. What happens while the call
// runs is part of it, as the tool may be an agent.
func (t *Conversation) Executing() *Tool {
	for i := len(t.tools) - 1; i >= 0; i-- {
		if t.tools[i].In != nil {
			return t.tools[i]
		}
	}
	return nil
}

// Leave ends the execution of a node's calls, even if their end was not seen. A nil node means
// all nodes.
func (t *Conversation) Leave(node *Conversation) {
	for _, tool := range t.tools {
		if node == nil || tool.In == node {
			tool.In = nil
		}
	}
}

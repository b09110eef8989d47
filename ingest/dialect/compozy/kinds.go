package compozy

import (
	"bytes"

	"tapedeck/schema"
)

// kind is what an event is, whatever it is called.
type kind uint8

const (
	unknown kind = iota
	workflowStart
	progress // how the execution stands
	agentStart
	stage // what the agent's loop is doing
	chunk
	snapshot
	toolCall
	warning
	failure
	complete
)

// word is an event's name and what it means.
type word struct {
	name     string
	kind     kind
	workflow bool // streams of workflows alone have it
	order    int  // its place in words
}

// words lists the events of the specification, section 3, and those that only
// the engine knows.
var words = []word{
	{name: "llm_chunk", kind: chunk},
	{name: "structured_delta", kind: snapshot},
	{name: "status", kind: stage},
	{name: "tool_call", kind: toolCall},
	{name: "workflow_start", kind: workflowStart, workflow: true},
	{name: "workflow_status", kind: progress, workflow: true},
	{name: "agent_start", kind: agentStart},
	{name: "agent_status", kind: progress},
	{name: "task_status", kind: progress},
	{name: "warning", kind: warning},
	{name: "error", kind: failure},
	{name: "complete", kind: complete},
}

// wordOf finds an event by its name.
func wordOf(name string) (word, bool) {
	for i, w := range words {
		if w.name == name {
			w.order = i
			return w, true
		}
	}
	return word{}, false
}

// standing is what the engine's word for how an execution stands means.
// The status is open for one that goes on, and "" for a word that is not known.
func standing(text []byte) schema.Status {
	for _, s := range standings {
		if len(s.word) == len(text) && bytes.EqualFold([]byte(s.word), text) {
			return s.status
		}
	}
	return ""
}

var standings = []struct {
	word   string
	status schema.Status
}{
	{"RUNNING", schema.StatusOpen}, {"SUCCESS", schema.StatusOK}, {"FAILED", schema.StatusError},
	{"PENDING", schema.StatusOpen}, {"PAUSED", schema.StatusOpen}, {"WAITING", schema.StatusOpen},
	{"TIMED_OUT", schema.StatusError}, {"CANCELED", schema.StatusCancelled}, {"CANCELLED", schema.StatusCancelled},
}

package compozy

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// kind describes a type of event.
type kind struct {
	read func(*decoder, *event)
	// judge returns how sure the event is of this dialect. The name alone is never sufficient.
	judge func(*event) dialect.Confidence
	// texts: the data may be a text in place of an object.
	texts bool
	// workflow: only streams of workflows have the type.
	workflow bool
	// order is part of the hash of an event.
	order uint32
}

// kinds has the events of the specification, section 3, and those that only the engine has.
var kinds = dialect.NewTypes(map[string]kind{
	"llm_chunk":        {read: (*decoder).chunk, judge: judgeChunk, texts: true, order: 0},
	"structured_delta": {read: (*decoder).snapshot, judge: judgeSnapshot, order: 1},
	"status":           {read: (*decoder).stage, judge: judgeStage, order: 2},
	"tool_call":        {read: (*decoder).toolCall, judge: judgeToolCall, order: 3},
	workflowStart:      {read: (*decoder).workflowStarts, judge: judgeWorkflow, workflow: true, order: 4},
	"workflow_status":  {read: (*decoder).progress, judge: judgeProgress, workflow: true, order: 5},
	"agent_start":      {read: (*decoder).agentStarts, judge: judgeAgent, order: 6},
	"agent_status":     {read: (*decoder).progress, judge: judgeProgress, order: 7},
	"task_status":      {read: (*decoder).progress, judge: judgeProgress, order: 8},
	"warning":          {read: (*decoder).warn, judge: judgeWarning, order: 9},
	failure:            {read: (*decoder).ends, judge: judgeFailure, texts: true, order: 10},
	"complete":         {read: (*decoder).ends, judge: judgeComplete, texts: true, order: 11},
})

const (
	workflowStart = "workflow_start"
	failure       = "error"
)

// statusOf returns the status for the engine's name of an execution's state: open while it runs,
// "" for an unknown name.
func statusOf(text []byte) schema.Status {
	for _, s := range statuses {
		if len(s.name) == len(text) && bytes.EqualFold([]byte(s.name), text) {
			return s.status
		}
	}
	return ""
}

var statuses = []struct {
	name   string
	status schema.Status
}{
	{"RUNNING", schema.StatusOpen}, {"SUCCESS", schema.StatusOK}, {"FAILED", schema.StatusError},
	{"PENDING", schema.StatusOpen}, {"PAUSED", schema.StatusOpen}, {"WAITING", schema.StatusOpen},
	{"TIMED_OUT", schema.StatusError}, {"CANCELED", schema.StatusCancelled}, {"CANCELLED", schema.StatusCancelled},
}

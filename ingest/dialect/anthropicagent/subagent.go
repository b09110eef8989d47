package anthropicagent

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// spawned returns the parent's call in which a sub-agent works: the call whose task is the
// sub-agent's query.
func (a *agent) spawned(task []byte) *model.Tool {
	for _, tool := range a.OpenTools() {
		args := tool.Arguments()
		if tool.Span.CallID != "" && tool.Span.Status == schema.StatusOpen && isJSON(args) && len(task) > 0 && bytes.Equal(dialect.RawText(args, "task"), task) {
			return tool
		}
	}
	return nil
}

// beginSub begins a sub-agent's node.
func (d *decoder) beginSub(a, parent *agent, task []byte) {
	a.parent, a.spawn, a.Session = parent, "", parent.Session
	d.inRun(parent)
	name := ""
	if tool := parent.spawned(task); tool != nil {
		a.spawn = tool.Span.CallID
		name = string(dialect.RawText(tool.Arguments(), "agent_name"))
	}
	if a.Run() != nil {
		a.abandon()
	}
	node := a.begin(d.Frame.At)
	node.Name = name
	if len(task) > 0 {
		var quoted dialect.Attributes
		quoted.AddText("task", dialect.Short(task))
		a.note("task", quoted[len(`{"task":`):])
		a.noted()
	}
}

// returned ends the sub-agents of a call that ended. In the successor the call's log names the
// agent; otherwise it was found when it began.
func (d *decoder) returned(a *agent, call string, status schema.Status, log []byte) {
	var child []byte
	if len(log) > 0 && wellformed.JSON(log) {
		child = dialect.RawText(dialect.RawMember(log, "details"), "child_agent_uuid")
	}
	for _, sub := range d.agents {
		if sub.parent != a || sub == a || sub.Run() == nil {
			continue
		}
		if call != "" && sub.spawn == call || len(child) > 0 && sub.id == string(child) {
			d.endBelow(sub, schema.StatusOK)
			sub.end(status, nil)
		}
	}
}

// endBelow ends an agent's sub-agents, which cannot outlive it.
func (d *decoder) endBelow(a *agent, status schema.Status) {
	for i := len(d.agents) - 1; i >= 0; i-- {
		sub := d.agents[i]
		switch {
		case sub == a || sub.Run() == nil || !sub.below(a):
		case status == schema.StatusOK:
			sub.close(false)
		default:
			sub.end(status, nil)
		}
	}
}

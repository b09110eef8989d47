package loom

import "tapedeck/ingest/dialect"

// custom reads what a server says of tools that has its tool events switched
// off. step_progress comes after a call; should the call's start have been
// seen nevertheless, it is something that it printed.
func (d *decoder) custom(r *run, e *event) {
	var t toolEvent
	switch string(textIn(e.value, "type")) {
	case "step_progress":
		t.kind, t.value = toolEnd, dialect.RawMember(e.value, "summary")
	case "approval_required":
		t.kind, t.value = toolApproval, dialect.RawMember(e.value, "arguments")
	default:
		return
	}
	t.id, t.name = textIn(e.value, "call_id"), textIn(e.value, "tool_name")
	t.node = r.of(e, false)
	if t.kind == toolApproval {
		d.called(r, &t)
		return
	}
	if running := r.tools.inUse(&t); running != nil && running.started {
		d.toolPrinted(r, &t)
		return
	}
	d.endTool(r, &t, false, `{"source":"step_progress"}`)
}

package opencode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// line reads a line of "opencode run --format json". Texts and tools come when they are complete.
func (d *decoder) line(in *dialect.Input) {
	v := in.JSON
	in.Type = dialect.Intern(v.GetStringBytes("type"))
	t := d.session(v.GetStringBytes("sessionID"))
	t.lines = true
	part, raw := v.Get("part"), dialect.RawMember(in.Data, "part")
	if !dialect.IsObject(part) {
		part = nil
	}
	switch {
	case in.Type == "error":
		t.inRun()
		t.failed(v.Get("error"))
	case in.Type == "done":
		t.idle(nil, nil)
	case part == nil:
		d.Unknown()
	case in.Type == "step_start":
		t.stepStart(part)
	case in.Type == "step_finish":
		t.stepFinish(part, raw)
		if string(part.GetStringBytes("reason")) != "tool-calls" && t.conv.Run() != nil {
			t.finished = d.Frame.At
		}
	case in.Type == "text":
		t.text(part, schema.MessageAssistant, true)
	case in.Type == "reasoning":
		t.text(part, schema.MessageThinking, true)
	case in.Type == "tool_use":
		t.tool(part, raw)
	default:
		d.Unknown()
	}
	t.conv.Address()
}

package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// toolOf returns the call of an event of version 2, and begins it if there is none. It returns nil
// for a call that has ended.
func (t *session) toolOf(p *fastjson.Value) *model.Tool {
	id := dialect.FirstText(p, "callID", "id")
	if t.conv.Ended(id) {
		return nil
	}
	t.inRun()
	begins := t.conv.OpenTool(id) == nil
	tool := t.conv.Tool(id, dialect.FirstText(p, "name", "tool"))
	if begins && len(id) > 0 {
		tool.ArgumentsID = "arguments:" + tool.Span.CallID
	}
	t.tooled = true
	return tool
}

func (t *session) inputStarted(p *fastjson.Value, _ []byte) {
	if t.toolOf(p) != nil {
		t.said = t.Frame.At
	}
}

func (t *session) inputDelta(p *fastjson.Value, _ []byte) {
	if tool := t.toolOf(p); tool != nil {
		t.conv.AppendArguments(tool, p.GetStringBytes("delta"))
		t.said = t.Frame.At
	}
}

func (t *session) inputEnded(p *fastjson.Value, _ []byte) {
	if tool := t.toolOf(p); tool != nil {
		t.conv.ConfirmArguments(tool, p.GetStringBytes("text"), "json")
		t.said = t.Frame.At
	}
}

// called reads that a call is complete and is executed.
func (t *session) called(p *fastjson.Value, raw []byte) {
	tool := t.toolOf(p)
	if tool == nil {
		return
	}
	t.conv.ConfirmArguments(tool, dialect.RawMember(raw, "input"), "json")
	t.conv.FirstToken()
	t.conv.Start(tool)
	t.said = t.Frame.At
}

// progressed reads the output of a call so far. The call of a sub-agent names its session.
func (t *session) progressed(p *fastjson.Value, raw []byte) {
	tool := t.toolOf(p)
	if tool == nil {
		return
	}
	t.childOf(tool, p)
	if text := dialect.RawWords(dialect.RawMember(raw, "content")); len(text) > 0 {
		t.conv.SetOutput(tool, text)
	}
}

// childOf notes the session of a sub-agent on its call, once.
func (t *session) childOf(tool *model.Tool, p *fastjson.Value) {
	for _, member := range [...]string{"metadata", "structured"} {
		child := p.GetStringBytes(member, "sessionID")
		if child != nil && tool.Data == nil {
			tool.Data = string(child)
			tool.Attrs.AddText("session", string(child))
			t.conv.Noted(tool)
		}
	}
}

func (t *session) succeeded(p *fastjson.Value, raw []byte) {
	t.endTool(p, raw, func([]byte) (schema.Status, []byte) { return schema.StatusOK, nil })
}

func (t *session) toolFailed(p *fastjson.Value, raw []byte) {
	why := p.GetStringBytes("error", "message")
	t.endTool(p, raw, func(id []byte) (schema.Status, []byte) { return t.outcome(id, why), why })
}

// endTool ends a call with the texts of its result.
func (t *session) endTool(p *fastjson.Value, raw []byte, outcome func(id []byte) (schema.Status, []byte)) {
	id := dialect.FirstText(p, "callID", "id")
	met := t.conv.OpenTool(id) != nil
	tool := t.toolOf(p)
	if tool == nil {
		return
	}
	if !met {
		tool.Span.Started = 0 // only its end was seen
	}
	t.childOf(tool, p)
	content := dialect.RawMember(raw, "content")
	if text := dialect.RawWords(content); text != nil {
		t.conv.Returned(tool, text, "text").Attributes = dialect.Attribute("parts", dialect.OtherParts(content))
	}
	status, why := outcome(id)
	t.conv.EndTool(tool, status, why)
}

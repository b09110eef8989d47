package codex

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// item reads an item.started, item.updated or item.completed. Each has the whole item.
func (d *decoder) item(in *dialect.Input) {
	v, completed := in.JSON.Get("item"), in.Type == "item.completed"
	if !dialect.IsObject(v) {
		d.Unknown()
		return
	}
	raw := dialect.RawMember(in.Data, "item")
	switch string(v.GetStringBytes("type")) {
	case "agent_message":
		d.text(v, completed, schema.MessageAssistant, "")
	case "reasoning":
		d.text(v, completed, schema.MessageThinking, "")
	case "plan":
		d.text(v, completed, schema.MessageAssistant, planAttributes)
	case "error":
		if why := v.GetStringBytes("message"); completed && len(why) > 0 {
			d.tr.Say(schema.MessageError, why)
		}
	case "todo_list":
		if list := dialect.RawMember(raw, "items"); len(list) <= todoKept {
			d.todo = append(d.todo[:0], list...)
		}
	case "command_execution":
		d.command(v, raw, completed)
	case "file_change":
		d.fileChange(v, raw, completed)
	case "mcp_tool_call":
		d.mcpCall(v, raw, completed)
	case "collab_tool_call":
		d.collabCall(v, raw, completed)
	case "web_search":
		d.webSearch(v, raw, completed)
	default:
		d.Unknown()
	}
}

// todoKept bounds the to-do list in a run's attributes, bytes.
const todoKept = 2048

// planAttributes are the attributes of a proposed plan, which is an answer too.
const planAttributes = `{"item":"plan"}`

// text reads an item of text, which may come in growing snapshots.
func (d *decoder) text(v *fastjson.Value, completed bool, kind schema.MessageKind, attributes string) {
	d.tr.InRun()
	id, content := v.GetStringBytes("id"), v.GetStringBytes("text")
	m := d.tr.Growing(kind, id)
	switch {
	case len(content) == 0: // also if deltas had the text
	case m == nil && completed:
		d.tr.Say(kind, content).Attributes = attributes
	case m == nil:
		m = d.tr.BeginText(kind, id)
		m.Attributes = attributes
		fallthrough
	default:
		d.Emitter.SetText(m, content, d.Frame)
	}
	if completed {
		d.tr.Complete(kind, id)
	}
}

// planDelta reads a piece of a proposed plan.
func (d *decoder) planDelta(in *dialect.Input) {
	id := in.JSON.GetStringBytes("item_id")
	if id == nil {
		d.Unknown()
		return
	}
	d.tr.InRun()
	d.tr.Append(schema.MessageAssistant, id, in.JSON.GetStringBytes("delta")).Attributes = planAttributes
}

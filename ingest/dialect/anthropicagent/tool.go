package anthropicagent

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// serverPrefix begins the ids of calls that the Messages API executes itself.
var serverPrefix = []byte("srvtoolu_")

// isServed begins the attributes of calls that the API executes.
const isServed = `{"server":true`

func served(tool *model.Tool) bool { return bytes.HasPrefix(tool.Attrs, []byte(isServed)) }

func (a *agent) serve(tool *model.Tool) {
	tool.Attrs = dialect.Attributes(isServed)
	a.Noted(tool)
}

// call adds to a call's arguments. Complete arguments begin its execution: at once by the API, or
// by the agent together with the other calls of the turn.
func (d *decoder) call(a *agent, id, name, chunk []byte, final, server bool) {
	server = server || bytes.HasPrefix(id, serverPrefix)
	if a.turn != nil && !server && a.Call() == nil {
		a.Resume(a.turn) // another call of the same turn
	}
	d.spoke(a)
	tool := a.nameless
	if len(id) > 0 || tool == nil {
		tool = a.Tool(id, name)
		if server && tool.Attrs == nil {
			a.serve(tool)
		}
	}
	a.AppendArguments(tool, chunk)
	a.nameless = nil
	if !final {
		if len(id) == 0 {
			a.nameless = tool
		}
		return
	}
	a.FinishArguments(tool)
	a.Start(tool)
	if !server {
		a.turn = a.Call()
		a.EndCall(schema.StatusOK)
	}
}

// running reports whether the agent is executing a tool of its own.
func (a *agent) running() bool {
	for _, tool := range a.OpenTools() {
		if tool.Span.Status == schema.StatusOpen && !served(tool) {
			return true
		}
	}
	return false
}

// awaited is the attribute of a run with the calls that it waits for.
const awaited = "awaiting"

// awaiting reads the calls that the client is to execute: an array, or an object with an array.
func (d *decoder) awaiting(a *agent, text []byte) bool {
	list := text
	if tools := dialect.RawMember(text, "tools"); tools != nil {
		list = tools
	}
	d.inRun(a)
	var ids []string
	dialect.RawElements(list, func(raw []byte) bool {
		id := dialect.RawText(raw, "tool_use_id")
		if len(id) == 0 {
			return true
		}
		ids = append(ids, string(id))
		if a.Ended(id) {
			return true
		}
		tool := a.Tool(id, dialect.RawText(raw, "name"))
		if len(tool.Arguments()) == 0 {
			a.SetArguments(tool, dialect.RawMember(raw, "input"))
		}
		a.Wait(tool)
		return len(ids) < resultLimit
	})
	a.note(awaited, list)
	a.pause(ids)
	return true
}

// isJSON reports whether a result is a JSON object or array. Other JSON, such as a number, is
// taken as text.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && wellformed.JSON(text)
}

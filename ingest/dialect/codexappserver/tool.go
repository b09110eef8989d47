package codexappserver

import (
	"bytes"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call returns the call that an item describes, nil if it has ended before. A call that begins ends
// the call of the model, which asked for it.
func (t *thread) call(x *item, name string) *model.Tool {
	tool := t.OpenTool(x.id)
	if tool == nil {
		if t.Ended(x.id) {
			return nil
		}
		if t.Call() != nil || t.asked != 0 {
			t.inCall()
		}
		t.endCall(schema.StatusOK)
		tool = t.Tool(x.id, []byte(name))
		if x.completed {
			tool.Span.Started = 0 // its start was not seen
		}
	}
	return tool
}

// ends sets a call's status once its item is completed. why is an error that the item states.
func (t *thread) ends(tool *model.Tool, x *item, why []byte) {
	if !x.completed {
		return
	}
	state := x.GetStringBytes("status")
	status := schema.StatusOK
	switch string(state) {
	case "failed":
		status = schema.StatusError
	case "declined":
		// It did not run: what it waited is not its time.
		status, tool.Span.Started = schema.StatusRejected, t.d.Frame.At
	}
	if success := x.Get("success"); success != nil && success.Type() == fastjson.TypeFalse {
		status = schema.StatusError
	}
	if code := x.Get("exitCode"); dialect.IsNumber(code) {
		tool.Attrs.AddRaw("exit_code", code.MarshalTo(nil))
		t.Noted(tool)
		if n, err := code.Int64(); status == schema.StatusOK && (err != nil || n != 0) {
			status = schema.StatusError
		}
		if status == schema.StatusError && len(why) == 0 {
			why = append([]byte("exit code "), code.MarshalTo(nil)...)
		}
	}
	if status == schema.StatusOK && len(why) > 0 {
		status = schema.StatusError
	}
	if status != schema.StatusOK && len(why) == 0 {
		why = state
	}
	t.EndTool(tool, status, why)
	t.asked = t.d.Frame.At
}

// command reads a commandExecution. Its end has the whole output.
func (t *thread) command(x *item) {
	tool := t.call(x, "command_execution")
	if tool == nil {
		return
	}
	t.arguments(tool, x, "command", "cwd")
	if output := x.GetStringBytes("aggregatedOutput"); x.completed && output != nil {
		t.Returned(tool, output, "text")
	}
	t.ends(tool, x, nil)
}

// outputDelta reads a piece of the output of a command.
func (t *thread) outputDelta(m *message) {
	if tool := t.OpenTool(m.GetStringBytes("params", "itemId")); tool != nil {
		t.Print(tool, m.GetStringBytes("params", "delta"))
	}
}

// fileChange reads a fileChange: a patch. It has a status and no result.
func (t *thread) fileChange(x *item) { t.plain(x, "file_change", "", "changes") }

func (t *thread) webSearch(x *item)       { t.plain(x, "web_search", "", "query", "action") }
func (t *thread) imageView(x *item)       { t.plain(x, "image_view", "", "path") }
func (t *thread) imageGeneration(x *item) { t.plain(x, "image_generation", "", "revisedPrompt") }

// plain reads a call whose arguments are members of its item, and whose result, if any, is one.
func (t *thread) plain(x *item, name, result string, arguments ...string) {
	tool := t.call(x, name)
	if tool == nil {
		return
	}
	t.arguments(tool, x, arguments...)
	if value := dialect.RawMember(x.raw, result); result != "" && x.completed && !dialect.RawNull(value) {
		t.Returned(tool, value, "json")
	}
	t.ends(tool, x, nil)
}

// mcpCall reads an mcpToolCall. The call is named server.tool.
func (t *thread) mcpCall(x *item) { t.twoPart(x, "server", "result") }

// dynamicCall reads a dynamicToolCall, which the client executes.
func (t *thread) dynamicCall(x *item) { t.twoPart(x, "namespace", "contentItems") }

// twoPart reads a call with a name of two parts.
func (t *thread) twoPart(x *item, first, result string) {
	name := bytes.Trim(bytes.Join([][]byte{x.GetStringBytes(first), x.GetStringBytes("tool")}, []byte(".")), ".")
	tool := t.call(x, string(name))
	if tool == nil {
		return
	}
	if args := dialect.RawMember(x.raw, "arguments"); !dialect.RawNull(args) {
		t.RepeatArguments(tool, args)
	}
	if value := dialect.RawMember(x.raw, result); x.completed && !dialect.RawNull(value) {
		t.Returned(tool, value, "json")
	}
	t.ends(tool, x, x.GetStringBytes("error", "message"))
}

// collabCall reads a collabAgentToolCall: a call that messages another agent.
func (t *thread) collabCall(x *item) {
	name := string(x.GetStringBytes("tool"))
	if name == "" {
		name = "collab_tool_call"
	}
	t.plain(x, name, "agentsStates", "prompt", "receiverThreadIds")
}

// arguments sets a call's arguments to an object of members of its item.
func (t *thread) arguments(tool *model.Tool, x *item, names ...string) {
	args := []byte{'{'}
	for _, name := range names {
		value := dialect.RawMember(x.raw, name)
		if dialect.RawNull(value) {
			continue
		}
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = append(append(strconv.AppendQuote(args, name), ':'), value...)
	}
	if len(args) > 1 {
		t.RepeatArguments(tool, append(args, '}'))
	}
}

// approval reads a request of the server for a decision or an answer of the person: the call of the
// item waits.
func (t *thread) approval(m *message) {
	id := m.GetStringBytes("params", "itemId")
	tool := t.OpenTool(id)
	latest := t.d.waiting.Latest()
	if tool == nil || latest == nil || dialect.RawNull(dialect.RawMember(m.raw, "id")) {
		return // of no call that is followed
	}
	latest.item = string(id)
	tool.Running = false
	t.AwaitApproval(tool)
}

// decided reads the person's decision. A call that is allowed starts.
func (t *thread) decided(r *request, m *message) {
	tool := t.OpenTool([]byte(r.item))
	if tool == nil {
		return
	}
	switch decision := string(m.GetStringBytes("result", "decision")); {
	case decision == "decline" || decision == "cancel":
		tool.Attrs.AddText("decision", decision)
		t.Noted(tool)
	case m.Exists("result"):
		t.Start(tool)
	}
}

package codex

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// ran sets a call's status once its item is completed. why is an error that the item states. A
// call whose start was not seen has no start.
func (d *decoder) ran(tool *model.Tool, v *fastjson.Value, completed bool, why []byte) {
	if !completed {
		return
	}
	if tool.Span.SeenSeq == d.Frame.Seq {
		tool.Span.Started = 0
	}
	state := v.GetStringBytes("status")
	status := schema.StatusOK
	switch string(state) {
	case "failed":
		status = schema.StatusError
	case "declined":
		status = schema.StatusRejected
	case "cancelled", "canceled", "interrupted":
		status = schema.StatusCancelled
	}
	code := v.Get("exit_code")
	if code != nil && code.Type() == fastjson.TypeNumber {
		tool.Attrs.AddRaw("exit_code", code.MarshalTo(nil))
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
	d.tr.Noted(tool)
	d.tr.EndTool(tool, status, why)
}

// command reads a command_execution. Its output comes with its end; an update may have the output
// so far.
func (d *decoder) command(v *fastjson.Value, raw []byte, completed bool) {
	tool := d.tr.Tool(v.GetStringBytes("id"), []byte("command_execution"))
	d.arguments(tool, raw, "command")
	output := v.GetStringBytes("aggregated_output")
	switch {
	case !completed && len(output) > 0:
		d.tr.SetOutput(tool, output)
	case completed && output != nil:
		d.tr.Returned(tool, output, "text")
	}
	d.ran(tool, v, completed, nil)
}

// fileChange reads a file_change: a patch. It has a status and no result.
func (d *decoder) fileChange(v *fastjson.Value, raw []byte, completed bool) {
	tool := d.tr.Tool(v.GetStringBytes("id"), []byte("file_change"))
	d.arguments(tool, raw, "changes")
	d.ran(tool, v, completed, nil)
}

// mcpCall reads an mcp_tool_call. The call is named server.tool.
func (d *decoder) mcpCall(v *fastjson.Value, raw []byte, completed bool) {
	name := bytes.Join([][]byte{v.GetStringBytes("server"), v.GetStringBytes("tool")}, []byte("."))
	tool := d.tr.Tool(v.GetStringBytes("id"), bytes.Trim(name, "."))
	if args := dialect.RawMember(raw, "arguments"); !dialect.RawNull(args) {
		d.tr.RepeatArguments(tool, args)
	}
	why := errorOf(v)
	if result := dialect.RawMember(raw, "result"); completed && !dialect.RawNull(result) {
		d.tr.Returned(tool, result, "json")
	}
	d.ran(tool, v, completed, why)
}

// collabCall reads a collab_tool_call: a call that messages another agent.
func (d *decoder) collabCall(v *fastjson.Value, raw []byte, completed bool) {
	name := v.GetStringBytes("tool")
	if len(name) == 0 {
		name = []byte("collab_tool_call")
	}
	tool := d.tr.Tool(v.GetStringBytes("id"), name)
	d.arguments(tool, raw, "prompt", "receiver_thread_ids")
	if states := dialect.RawMember(raw, "agents_states"); completed && !dialect.RawNull(states) {
		d.tr.Returned(tool, states, "json")
	}
	d.ran(tool, v, completed, nil)
}

// webSearch reads a web_search. Its query comes with its end; its results are not stated.
func (d *decoder) webSearch(v *fastjson.Value, raw []byte, completed bool) {
	tool := d.tr.Tool(v.GetStringBytes("id"), []byte("web_search"))
	if completed {
		d.arguments(tool, raw, "query", "action")
	}
	d.ran(tool, v, completed, nil)
}

// requestUserInput reads a call that waits for the user.
func (d *decoder) requestUserInput(in *dialect.Input) {
	id := cmp.Or(string(in.JSON.GetStringBytes("call_id")), string(in.JSON.GetStringBytes("id")))
	tool := d.tr.Tool([]byte(id), []byte("request_user_input"))
	d.arguments(tool, in.Data, "questions")
	d.tr.Wait(tool)
}

// arguments sets a call's arguments to an object of members of its item.
func (d *decoder) arguments(tool *model.Tool, raw []byte, names ...string) {
	args := append(d.quoting[:0], '{')
	for _, name := range names {
		value := dialect.RawMember(raw, name)
		if dialect.RawNull(value) {
			continue
		}
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = append(append(strconv.AppendQuote(args, name), ':'), value...)
	}
	d.quoting = append(args, '}')
	if len(d.quoting) > 2 {
		d.tr.RepeatArguments(tool, d.quoting)
	}
}

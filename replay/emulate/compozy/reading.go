package compozy

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
)

// content is the content of a frame of another protocol, as far as there are events for
// it.
type content struct {
	text  string // of the model's answer
	tools []tool
	step  string // a step begins
	fail  string // an error
}

type tool struct {
	name string
	args []byte // JSON
}

// reader reads the frames of one stream. It emits calls whose arguments arrive in
// pieces once they are complete.
type reader struct {
	dialect string
	open    map[string]*tool
	order   []string
}

func str(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }

// read reads a frame. known is false for an unknown protocol.
func (r *reader) read(v *fastjson.Value) (t content, known bool) {
	kind := str(v, "type")
	switch r.dialect {
	case "loom":
		r.loom(&t, v)
	case "anthropic-messages":
		r.anthropic(&t, v, kind)
	case "anthropic-agent":
		r.agent(&t, v, kind)
	case "openai-chat":
		r.chat(&t, v)
	case "openai-responses":
		responses(&t, v, kind)
	case "ag-ui":
		r.agui(&t, v, kind)
	case "vercel-ui":
		switch kind {
		case "text-delta":
			t.text = str(v, "delta") + str(v, "textDelta")
		case "tool-input-available":
			t.addCall(str(v, "toolName"), v.Get("input"))
		case "error":
			t.fail = str(v, "errorText")
		}
	case "gemini":
		for _, part := range v.GetArray("candidates", "0", "content", "parts") {
			if !part.GetBool("thought") {
				t.text += str(part, "text")
			}
			if call := part.Get("functionCall"); call != nil {
				t.addCall(str(call, "name"), call.Get("args"))
			}
		}
		t.fail = str(v, "error", "message")
	case "claude-code":
		if kind == "assistant" {
			t.addParts(v.GetArray("message", "content"))
		} else if kind == "result" && v.GetBool("is_error") {
			t.fail = str(v, "subtype")
		}
	case "gemini-cli":
		switch {
		case kind == "message" && str(v, "role") == "assistant":
			t.text = str(v, "content")
		case kind == "tool_use":
			t.addCall(str(v, "tool_name"), v.Get("parameters"))
		}
	case "codex":
		codex(&t, v, kind)
	case "opencode":
		switch kind {
		case "text":
			t.text = str(v, "part", "text")
		case "tool_use":
			t.addCall(str(v, "part", "tool"), v.Get("part", "state", "input"))
		}
	default:
		return t, false
	}
	return t, true
}

func (t *content) addCall(name string, args *fastjson.Value) {
	c := tool{name: name, args: []byte("{}")}
	if args != nil {
		c.args = emulate.AppendJSON(nil, args)
	}
	t.tools = append(t.tools, c)
}

// addParts adds a message's content: texts and tool calls.
func (t *content) addParts(parts []*fastjson.Value) {
	for _, part := range parts {
		switch str(part, "type") {
		case "text":
			t.text += str(part, "text")
		case "tool_use":
			t.addCall(str(part, "name"), part.Get("input"))
		}
	}
}

func (r *reader) loom(t *content, v *fastjson.Value) {
	if str(v, "type") == "run_stream_event" {
		v = v.Get("event")
	}
	switch str(v, "type") {
	case "message_chunk":
		t.text = str(v, "content")
	case "node_enter":
		t.step = str(v, "id")
	case "tool_call":
		t.addCall(str(v, "name"), v.Get("arguments"))
	case "error":
		t.fail = str(v, "error")
	case "":
		if e := v.Get("Messages"); str(e, "chunk", "kind") != "Thinking" {
			t.text = str(e, "chunk", "content")
		}
		if e := v.Get("TaskStart"); e != nil {
			t.step = str(e, "node_id")
		}
		if e := v.Get("ToolCall"); e != nil {
			t.addCall(str(e, "name"), e.Get("arguments"))
		}
	}
}

// addArguments adds to the arguments of an open call; finishCall emits the call.
func (r *reader) addArguments(key, name, args string) {
	if r.open == nil {
		r.open = map[string]*tool{}
	}
	c := r.open[key]
	if c == nil {
		c = &tool{}
		r.open[key] = c
		r.order = append(r.order, key)
	}
	if name != "" {
		c.name = name
	}
	c.args = append(c.args, args...)
}

func (r *reader) finishCall(t *content, key string) {
	c := r.open[key]
	if c == nil {
		return
	}
	delete(r.open, key)
	args, err := fastjson.ParseBytes(c.args)
	if err != nil {
		args = fastjson.MustParseBytes(emulate.AppendText(nil, string(c.args)))
	}
	if len(c.args) == 0 {
		args = nil
	}
	t.addCall(c.name, args)
}

func (r *reader) anthropic(t *content, v *fastjson.Value, kind string) {
	key := string(v.GetStringBytes("index")) + "#" + fmtInt(v.GetInt64("index"))
	switch kind {
	case "content_block_start":
		if block := str(v, "content_block", "type"); strings.HasSuffix(block, "tool_use") {
			r.addArguments(key, str(v, "content_block", "name"), "")
		}
	case "content_block_delta":
		t.text = str(v, "delta", "text")
		if part := str(v, "delta", "partial_json"); part != "" {
			r.addArguments(key, "", part)
		}
	case "content_block_stop":
		r.finishCall(t, key)
	case "message":
		t.addParts(v.GetArray("content"))
	case "error":
		t.fail = str(v, "error", "message")
	}
}

func (r *reader) agent(t *content, v *fastjson.Value, kind string) {
	switch kind {
	case "text":
		t.text = str(v, "delta")
	case "tool_call", "server_tool_call":
		r.addArguments(str(v, "id"), str(v, "name"), str(v, "delta"))
		if v.GetBool("final") {
			r.finishCall(t, str(v, "id"))
		}
	case "error":
		t.fail = str(v, "delta")
	}
}

func (r *reader) chat(t *content, v *fastjson.Value) {
	choice := v.Get("choices", "0")
	t.text = str(choice, "delta", "content") + str(choice, "message", "content")
	for _, c := range append(choice.GetArray("delta", "tool_calls"), choice.GetArray("message", "tool_calls")...) {
		r.addArguments(fmtInt(c.GetInt64("index")), str(c, "function", "name"), str(c, "function", "arguments"))
	}
	if str(choice, "finish_reason") != "" {
		for _, key := range r.order {
			r.finishCall(t, key)
		}
		r.order = nil
	}
	t.fail = str(v, "error", "message")
}

func responses(t *content, v *fastjson.Value, kind string) {
	switch kind {
	case "response.output_text.delta":
		t.text = str(v, "delta")
	case "response.output_item.done":
		if item := v.Get("item"); str(item, "type") == "function_call" {
			args, err := fastjson.Parse(str(item, "arguments"))
			if err != nil {
				args = nil
			}
			t.addCall(str(item, "name"), args)
		}
	case "response.failed":
		t.fail = str(v, "response", "error", "message")
	case "error":
		t.fail = str(v, "message") + str(v, "error", "message")
	}
}

func (r *reader) agui(t *content, v *fastjson.Value, kind string) {
	key := str(v, "toolCallId")
	switch kind {
	case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK":
		t.text = str(v, "delta")
	case "TOOL_CALL_START":
		r.addArguments(key, str(v, "toolCallName"), "")
	case "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK":
		r.addArguments(key, str(v, "toolCallName"), str(v, "delta"))
	case "TOOL_CALL_END":
		r.finishCall(t, key)
	case "STEP_STARTED":
		t.step = str(v, "stepName")
	case "RUN_ERROR":
		t.fail = str(v, "message")
	}
}

func codex(t *content, v *fastjson.Value, kind string) {
	item := v.Get("item")
	switch kind + " " + str(item, "type") {
	case "item.completed agent_message":
		t.text = str(item, "text")
	case "item.started command_execution":
		t.addCall("command_execution", item.Get("command"))
	case "item.started mcp_tool_call":
		t.addCall(str(item, "tool"), item.Get("arguments"))
	case "turn.failed ":
		t.fail = str(v, "error", "message")
	}
}

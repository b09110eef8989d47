package mcp

import (
	"bytes"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call is the decoder's state of a tool call.
type call struct {
	shared uint64 // see decoder.shared
	token  string // of its progress, as JSON
	asks   bool   // its last result asks the client for input
	state  string // requestState of that result, as JSON
	// Attributes of its span:
	askedAt         int64  // when it last asked, ns; 0 if it never did
	progress, total string // as JSON
}

// describe sets the attributes of a call's span.
func (c *call) describe(tool *model.Tool) {
	tool.Attrs = nil
	if c.askedAt != 0 {
		tool.Attrs.AddTime("approval_at", c.askedAt)
	}
	tool.Attrs.AddRaw("progress", []byte(c.progress))
	tool.Attrs.AddRaw("total", []byte(c.total))
}

// toolsCall reads a call, whose execution begins. It belongs to no run, as the protocol has none.
func (d *decoder) toolsCall(m *message) {
	if m.id == nil {
		return
	}
	if waits, again := d.awaits(m.id, m.raw); waits {
		if !again { // the id of a request in progress
			d.Unknown()
		}
		return
	}
	if d.again(m) {
		return
	}
	c := &call{token: progressToken(m)}
	id := idText(m.id)
	if !d.Ended(id) && d.OpenTool(id) == nil {
		c.shared = d.sharedID(m.id)
	}
	d.shared = c.shared
	tool := d.LoneTool(id, m.GetStringBytes("params", "name"))
	tool.Data = c
	if args := m.params("arguments"); !dialect.RawNull(args) {
		d.SetArguments(tool, args)
	}
	d.Start(tool)
	d.await(m.id, m.raw, tool)
}

// again reads the retry of a call that asked the client for input (version 2026-07-28, multi
// round-trip requests). A retry has an id of its own, and the answers or the state of the result before it; it is
// the same call. It reports whether the request is one.
func (d *decoder) again(m *message) bool {
	state := m.params("requestState")
	if dialect.RawNull(m.params("inputResponses")) && dialect.RawNull(state) {
		return false
	}
	for _, tool := range slices.Backward(d.OpenTools()) {
		c := tool.Data.(*call)
		if !c.asks || c.state != string(state) || tool.Span.Name != string(m.GetStringBytes("params", "name")) {
			continue
		}
		c.asks, c.state, c.token = false, "", progressToken(m)
		d.speakOf(tool)
		d.Start(tool)
		d.await(m.id, m.raw, tool)
		return true
	}
	return false
}

// ask reads a result that asks the client for input: the call waits for it. If the retry is in
// another stream, as that of a proxied exchange is, the call stays waiting here.
func (d *decoder) ask(tool *model.Tool, raw []byte) {
	c := tool.Data.(*call)
	c.asks, c.state, c.askedAt = true, string(dialect.RawMember(raw, "requestState")), d.Frame.At
	c.describe(tool)
	d.Noted(tool)
	tool.Running = false
	d.Wait(tool)
}

// progressToken returns the token of the progress of a request, as JSON.
func progressToken(m *message) string {
	return string(dialect.RawMember(m.params("_meta"), "progressToken"))
}

// sharedID identifies a request in all streams of an MCP session. It is 0 if the session is not
// known, as the ids of requests count from the same number in each.
func (d *decoder) sharedID(id []byte) uint64 {
	if d.Session == "" {
		return 0
	}
	return xxhash.Sum64(append(append([]byte("mcp:"+d.Session), 0), id...))
}

// idText returns an id without its quotes.
func idText(id []byte) []byte {
	text, _ := dialect.RawContent(id)
	return text
}

// speakOf makes facts that begin from now on facts of a call.
func (d *decoder) speakOf(tool *model.Tool) { d.shared = tool.Data.(*call).shared }

// lone reads a result without a request, if it is the result of a tool.
func (d *decoder) lone(id []byte, v *fastjson.Value, raw []byte) {
	if id == nil || !isToolResult(v) || d.Ended(idText(id)) {
		return
	}
	d.shared = d.sharedID(id)
	tool := d.LoneTool(idText(id), nil)
	tool.Data = &call{shared: d.shared}
	tool.Span.Started = 0 // only its end was seen
	d.returned(tool, v, raw)
}

// isToolResult reports whether a result is the result of a tool. A model's answer to sampling has a
// role, and contents of resources have another name.
func isToolResult(v *fastjson.Value) bool {
	return dialect.IsArray(v.Get("content")) && v.Get("role") == nil
}

// returned reads a call's result. isError means that the tool failed.
func (d *decoder) returned(tool *model.Tool, v *fastjson.Value, raw []byte) {
	d.speakOf(tool)
	text, media := contentOf(raw)
	if !dialect.RawNull(text) {
		m := d.Returned(tool, text, media)
		m.Attributes = dialect.Attribute("parts", otherParts(v.GetArray("content")))
	}
	kind := v.GetStringBytes("resultType")
	if string(kind) == "input_required" {
		d.ask(tool, raw)
		return
	}
	if len(kind) > 0 && string(kind) != "complete" {
		tool.Attrs.AddText("result_type", string(kind))
	}
	if task := v.GetStringBytes("task", "taskId"); len(task) > 0 {
		tool.Attrs.AddText("task_id", string(task))
	}
	d.Noted(tool)
	if v.GetBool("isError") {
		d.EndTool(tool, schema.StatusError, text)
		return
	}
	d.EndTool(tool, schema.StatusOK, nil)
}

// contentOf returns the result of a tool: the texts of its content, one a line, else the
// structured content, else the content as JSON.
func contentOf(result []byte) (text []byte, media string) {
	content := dialect.RawMember(result, "content")
	if text = dialect.RawWords(content); len(text) > 0 {
		return text, "text"
	}
	if structured := dialect.RawMember(result, "structuredContent"); !dialect.RawNull(structured) {
		return structured, "json"
	}
	return content, "json"
}

// otherParts returns the types of contents that are not text, as a JSON array.
func otherParts(content []*fastjson.Value) []byte {
	var kinds dialect.List
	for _, part := range content {
		if kind := part.GetStringBytes("type"); string(kind) != "text" && len(kinds) < 256 {
			kinds.AddText(kind)
		}
	}
	return kinds.JSON()
}

// failed reads a JSON-RPC error in place of a call's result.
func (d *decoder) failed(tool *model.Tool, v *fastjson.Value, raw []byte) {
	d.speakOf(tool)
	if code := v.Get("code"); dialect.IsNumber(code) {
		tool.Attrs.AddRaw("error_code", code.MarshalTo(nil))
		d.Noted(tool)
	}
	why := v.GetStringBytes("message")
	if len(why) == 0 {
		why = dialect.RawMember(raw, "error")
	}
	d.EndTool(tool, schema.StatusError, why)
}

// progress reads the progress of a call. Its message is output of the call.
func (d *decoder) progress(m *message) {
	token := m.params("progressToken")
	for _, tool := range d.OpenTools() {
		c := tool.Data.(*call)
		if len(token) == 0 || c.token != string(token) {
			continue
		}
		d.speakOf(tool)
		c.progress, c.total = numberOf(m, "progress"), numberOf(m, "total")
		c.describe(tool)
		d.Noted(tool)
		d.print(tool, m.GetStringBytes("params", "message"))
		return
	}
}

// numberOf returns a parameter as JSON if it is a number, else "".
func numberOf(m *message, name string) string {
	if !dialect.IsNumber(m.Get("params", name)) {
		return ""
	}
	return string(m.params(name))
}

// log reads a log message of a server. It is output of the call in execution, if there is exactly
// one.
func (d *decoder) log(m *message) {
	if len(d.OpenTools()) != 1 {
		return
	}
	tool := d.OpenTools()[0]
	d.speakOf(tool)
	text, _ := dialect.RawContent(m.params("data"))
	d.print(tool, text)
}

// print adds a line to a call's output.
func (d *decoder) print(tool *model.Tool, line []byte) {
	if len(line) > 0 {
		d.Print(tool, append(bytes.Clone(line), '\n'))
	}
}

// cancelled reads the notice that the client no longer waits for a response.
func (d *decoder) cancelled(m *message) {
	tool := d.requested(m.params("requestId"))
	if tool != nil {
		d.speakOf(tool)
		d.EndTool(tool, schema.StatusCancelled, m.GetStringBytes("params", "reason"))
	}
}

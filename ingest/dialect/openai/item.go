package openai

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// runner is who executes a tool.
type runner int

const (
	notATool runner = iota
	byClient
	byServer
	isResult // the item is the result of a call
)

// itemKind is a type of item.
type itemKind struct {
	runs runner
	name string // of the tool, if the item has none
	id   string // the member with the call's id
	// input and result are the members with the input and the result of the tool; "a b" is the
	// first that exists. media is the media type of the input, JSON if it is empty.
	input, result, media string
}

var itemKinds = map[string]*itemKind{
	"message":                 {},
	"reasoning":               {},
	"compaction":              {},
	"function_call":           {runs: byClient, id: "call_id", input: "arguments"},
	"custom_tool_call":        {runs: byClient, id: "call_id", input: "input", media: "text"},
	"computer_call":           {runs: byClient, name: "computer", id: "call_id", input: "action"},
	"local_shell_call":        {runs: byClient, name: "local_shell", id: "call_id", input: "action"},
	"shell_call":              {runs: byClient, name: "shell", id: "call_id", input: "action"},
	"apply_patch_call":        {runs: byClient, name: "apply_patch", id: "call_id", input: "operation"},
	"mcp_approval_request":    {runs: byClient, id: "id", input: "arguments"},
	"program":                 {runs: byClient, name: "program", id: "call_id", input: "code", media: "text"},
	"web_search_call":         {runs: byServer, name: "web_search", id: "id", input: "action|arguments"},
	"file_search_call":        {runs: byServer, name: "file_search", id: "id", input: "queries", result: "results"},
	"code_interpreter_call":   {runs: byServer, name: "code_interpreter", id: "id", input: "code", result: "outputs", media: "text"},
	"image_generation_call":   {runs: byServer, name: "image_generation", id: "id", input: "revised_prompt", media: "text"},
	"mcp_call":                {runs: byServer, id: "id", input: "arguments", result: "output"},
	"mcp_list_tools":          {runs: byServer, name: "mcp_list_tools", id: "id"},
	"tool_search_call":        {runs: byServer, name: "tool_search", id: "id", input: "arguments"},
	"function_call_output":    {runs: isResult, result: "output"},
	"custom_tool_call_output": {runs: isResult, result: "output"},
	"computer_call_output":    {runs: isResult, result: "output"},
	"local_shell_call_output": {runs: isResult, result: "output"},
	"shell_call_output":       {runs: isResult, result: "output"},
	"apply_patch_call_output": {runs: isResult, result: "output"},
	"mcp_approval_response":   {runs: isResult, result: "output"},
	"program_output":          {runs: isResult, result: "result"},
	"tool_search_output":      {runs: isResult, result: "tools"},
}

// clientSearch is a search for tools that the client executes.
var clientSearch = &itemKind{runs: byClient, name: "tool_search", id: "call_id", input: "arguments"}

// otherTool is a hosted tool that this list does not have.
var otherTool = &itemKind{runs: byServer, id: "id", input: "arguments|action"}

// otherResult is the result of a call that the client executed.
var otherResult = &itemKind{runs: isResult, result: "output"}

// kindOf returns the kind of an item, or nil for an unknown one.
func kindOf(value *fastjson.Value) *itemKind {
	typ := value.GetStringBytes("type")
	if string(typ) == "tool_search_call" && string(value.GetStringBytes("execution")) == "client" {
		return clientSearch
	}
	if k := itemKinds[string(typ)]; k != nil {
		return k
	}
	if name, ok := bytes.CutSuffix(typ, []byte("_call")); ok {
		other := *otherTool
		other.name = string(name)
		return &other
	}
	return nil
}

// item is a part of a response's output. Its index in the output identifies it: some gateways
// change its id in every event.
type item struct {
	index int
	id    string // of its first event
	kind  *itemKind
	tool  *model.Tool
	// Bits of the parts that were seen, by number.
	texts, summaries uint64
	ready            bool // the client has the call
	done             bool
}

// itemLimit bounds the items of a response.
const itemLimit = 256

// indexOf returns the index of an event's item. Without an index it returns the index of the latest
// item.
func (d *responses) indexOf(v *fastjson.Value) int {
	if i := v.Get("output_index"); i != nil && i.Type() == fastjson.TypeNumber {
		return i.GetInt()
	}
	if len(d.items) > 0 {
		return d.items[len(d.items)-1].index
	}
	return 0
}

// find returns the item with an index, or nil. It is valid until the next item begins.
func (d *responses) find(index int) *item {
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].index == index {
			return &d.items[i]
		}
	}
	return nil
}

func (d *responses) add(index int) *item {
	if len(d.items) >= itemLimit {
		copy(d.items, d.items[1:])
		d.items = d.items[:itemLimit-1]
	}
	d.items = append(d.items, item{index: index})
	return &d.items[len(d.items)-1]
}

// itemAt is find, but begins an item whose start was not seen. The id of a new item is the member
// name of v, which is the item or an event about it.
func (d *responses) itemAt(index int, v *fastjson.Value, name string) *item {
	it := d.find(index)
	if it == nil {
		it = d.add(index)
		it.id = string(v.GetStringBytes(name))
	}
	return it
}

// ensure begins a run for events of a response whose start was not seen.
func (d *responses) ensure() {
	if d.Run() == nil {
		d.begin(d.viewed, nil, false)
	}
}

// added begins an item.
func (d *responses) added(v *fastjson.Value) {
	d.ensure()
	index := len(d.items)
	if v.Get("output_index") != nil {
		index = d.indexOf(v)
	}
	value := v.Get("item")
	it := d.itemAt(index, value, "id")
	if it.kind = kindOf(value); it.kind == nil {
		d.Unknown()
		return
	}
	if (it.kind.runs == byClient || it.kind.runs == byServer) && it.tool == nil {
		it.tool = d.openTool(it.kind, value)
	}
	if it.kind.runs == byServer {
		d.FirstToken() // the model has output by now, though it comes later
	}
}

// done reads a whole item. raw is its JSON.
func (d *responses) done(index int, value *fastjson.Value, raw []byte) {
	d.ensure()
	it := d.itemAt(index, value, "id")
	if it.done {
		return
	}
	it.done = true
	if it.kind == nil {
		it.kind = kindOf(value)
	}
	switch k := it.kind; {
	case k == nil:
		d.Unknown()
	case k.runs == notATool:
		d.said(it, value, raw)
	case k.runs == isResult:
		d.resultItem(k, value, raw)
	default:
		d.toolDone(it, value, raw)
	}
}

// output reads the items of a whole response that were not seen before.
func (d *responses) output(in *dialect.Input, response *fastjson.Value, place string) {
	values := response.GetArray("output")
	if len(values) == 0 || d.allDone(len(values)) {
		return
	}
	raw := in.Data
	if place != "" {
		raw = dialect.RawMember(raw, place)
	}
	dialect.Elements(values, dialect.RawMember(raw, "output"), 0, d.done)
}

func (d *responses) allDone(n int) bool {
	for i := range n {
		if it := d.find(i); it == nil || !it.done {
			return false
		}
	}
	return true
}

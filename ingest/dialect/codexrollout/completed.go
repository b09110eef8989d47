package codexrollout

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// completed is a type of call in an item_completed. Its name is fixed, and its arguments are members
// of the item; or its name is of two parts, and a member has its arguments.
type completed struct {
	name    string
	members []string
	space   string // the member with the first part of the name
	outputs []string
}

// completedTypes are the types of items that describe calls. Other items repeat items of the
// conversation for the user interface.
var completedTypes = map[string]completed{
	"CommandExecution": {
		name: "command_execution", members: []string{"command", "cwd"},
		outputs: []string{"aggregated_output", "aggregatedOutput", "stdout"},
	},
	"FileChange":      {name: "file_change", members: []string{"changes"}, outputs: []string{"stdout"}},
	"McpToolCall":     {space: "server", outputs: []string{"result.content"}},
	"DynamicToolCall": {space: "namespace", outputs: []string{"content_items", "contentItems"}},
}

// itemCompleted reads the event of a call that has ended, whole. The output of a call that is an
// item follows as an item. A call that is no item was made by a script, and begins and ends here.
func (d *decoder) itemCompleted(l *line) {
	typ, is := completedTypes[string(l.text("item", "type"))]
	id := l.text("item", "id")
	if !is || byUser(l) || len(id) == 0 || d.tr.Ended(id) {
		return
	}
	item := &line{Input: l.Input, v: l.v.Get("item"), raw: dialect.RawMember(l.raw, "item")}
	tool := d.tr.OpenTool(id)
	switch {
	case tool == nil:
		d.nested(item, id, typ)
	case tool.Ready: // no item describes the call
		d.settle(tool, item)
		d.returned(tool, typ.output(item))
	default:
		d.settle(tool, item)
	}
}

// byUser reports whether the user made the call, not the agent.
func byUser(l *line) bool {
	source := string(l.text("item", "source"))
	return source == "user_shell" || source == "userShell"
}

// nested records a call that a script made.
func (d *decoder) nested(item *line, id []byte, typ completed) {
	var tool *model.Tool
	if d.tr.Run() == nil {
		tool = d.tr.LoneTool(id, typ.nameOf(item))
	} else {
		tool = d.tr.Tool(id, typ.nameOf(item))
	}
	d.tr.SetArguments(tool, typ.arguments(item))
	d.settle(tool, item)
	tool.Span.Started = 0
	if took := tool.Span.Duration; took > 0 && took < d.Frame.At {
		tool.Span.Started = d.Frame.At - took
	}
	end, _ := tool.Data.(outcome)
	if text := dialect.RawWords(typ.output(item)); len(text) > 0 {
		d.tr.Returned(tool, text, "text")
	}
	d.tr.EndTool(tool, end.status, end.why)
}

func (t completed) nameOf(item *line) []byte {
	if t.space == "" {
		return []byte(t.name)
	}
	return bytes.Trim(bytes.Join([][]byte{item.text(t.space), item.text("tool")}, []byte(".")), ".")
}

func (t completed) arguments(item *line) []byte {
	if t.space != "" {
		return dialect.RawMember(item.raw, "arguments")
	}
	var args dialect.Attributes
	for _, name := range t.members {
		args.AddRaw(name, dialect.RawMember(item.raw, name))
	}
	return []byte(args.Text())
}

// output returns the JSON of the first output that the item has.
func (t completed) output(item *line) []byte {
	for _, place := range t.outputs {
		if raw := dialect.RawPath(item.raw, place); !dialect.RawNull(raw) {
			return raw
		}
	}
	return nil
}

// settle notes how a call ended, from the first event that states it.
func (d *decoder) settle(tool *model.Tool, l *line) {
	if tool.Data != nil {
		return
	}
	tool.Span.Duration = durationOf(l.v.Get("duration"))
	status, why := statusOf(l)
	tool.Data = outcome{status, bytes.Clone(why)}
	code := l.v.Get("exit_code")
	if code == nil {
		code = l.v.Get("exitCode")
	}
	d.exitCode(tool, code)
	if end, _ := tool.Data.(outcome); end.status == schema.StatusError && len(end.why) == 0 {
		tool.Data = outcome{end.status, bytes.Clone(l.text("status"))}
	}
}

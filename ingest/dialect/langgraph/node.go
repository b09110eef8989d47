package langgraph

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// node is the run of a node in progress: a task.
type node struct {
	id   string // of the task
	name string
	span *dialect.Span
	// called: a model has been called in the node.
	called bool
}

// openNodes bounds the nodes in progress. Beyond it the oldest is unclosed.
const openNodes = 128

func (d *decoder) node(id []byte) *node {
	for _, n := range d.nodes {
		if n.id == string(id) {
			return n
		}
	}
	return nil
}

// beginNode begins a node's run in the task of its namespace.
func (d *decoder) beginNode(id, name []byte, ns string) *node {
	run := d.inRun()
	d.finished = 0
	if len(d.nodes) >= openNodes {
		d.SettleSpan(d.nodes[0].span, schema.StatusUnclosed)
		d.nodes = slices.Delete(d.nodes, 0, 1)
	}
	n := &node{id: string(id), name: string(name)}
	spanID := "node:" + n.id
	if n.id == "" {
		spanID = d.ID("node")
	}
	n.span = d.Emitter.OpenSpan(schema.SpanNode, spanID, n.name, d.Frame)
	n.span.Session, n.span.Run, n.span.Agent, n.span.Node = d.conv.Session, d.conv.RunID, d.conv.Agent, n.id
	n.span.Parent = run.ID
	if in := d.node([]byte(taskOf(ns))); in != nil && in.id != "" {
		n.span.Parent = in.span.ID
	}
	d.nodes = append(d.nodes, n)
	return n
}

// endNode ends a node's run. A node that waits for a person has no end.
func (d *decoder) endNode(n *node, status schema.Status, why []byte) {
	if len(why) > 0 {
		n.span.Error = dialect.Short(why)
	}
	d.SettleSpan(n.span, status)
	d.nodes = slices.DeleteFunc(d.nodes, func(x *node) bool { return x == n })
}

// task reads the start of a task (with triggers) or its result.
func (d *decoder) task(v *fastjson.Value, ns string) {
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	if id == nil {
		d.Unknown()
		return
	}
	d.tasked = true
	n := d.node(id)
	if v.Exists("triggers") || !v.Exists("result") && !v.Exists("error") {
		if n == nil {
			d.beginNode(id, name, ns)
		}
		d.executes(v.Get("input"), id)
		return
	}
	if n == nil {
		if d.note(id) {
			return // tasks and debug events have the same content
		}
		n = d.beginNode(id, name, ns)
		n.span.Started = 0 // only its end was seen
	}
	status, why := schema.StatusOK, v.GetStringBytes("error")
	if len(why) > 0 {
		status = schema.StatusError
	}
	if len(v.GetArray("interrupts")) > 0 && status == schema.StatusOK {
		d.broken, status = true, schema.StatusWaiting
	}
	d.note(id)
	for _, a := range d.answers {
		if a.span.Node == n.id {
			d.finish(a, schema.StatusOK)
		}
	}
	d.endNode(n, status, why)
}

// executes notes that the tool calls in a task's input begin.
func (d *decoder) executes(input *fastjson.Value, task []byte) {
	start := func(call *fastjson.Value) {
		tool := d.conv.OpenTool(call.GetStringBytes("id"))
		if n := d.node(task); tool != nil && n != nil {
			tool.Span.Node, tool.Span.Parent = n.id, n.span.ID
			d.conv.Start(tool)
		}
	}
	if call := object(input, "tool_call"); call != nil {
		start(call)
		return
	}
	for _, call := range input.GetArray() {
		if call.Type() == fastjson.TypeObject {
			start(call)
		}
	}
}

// debug reads {type, timestamp, step, payload}: a task, its result, or a checkpoint.
func (d *decoder) debug(v *fastjson.Value, ns string) {
	payload := object(v, "payload")
	switch string(v.GetStringBytes("type")) {
	case "task", "task_result":
		d.task(payload, ns)
	case "checkpoint":
		d.checkpoint(payload, ns)
	default:
		d.Unknown()
	}
}

// checkpoint reads the state of a run. The checkpoint of the graph itself states whether anything
// is left to do.
func (d *decoder) checkpoint(v *fastjson.Value, ns string) {
	configurable := v.Get("config", "configurable")
	d.nameThread(configurable.GetStringBytes("thread_id"))
	d.inRun()
	if next := v.Get("next"); ns == "" && dialect.IsArray(next) && len(next.GetArray()) == 0 {
		d.finished = d.Frame.At
	}
}

// updates reads changes by the names of nodes, which have ended.
func (d *decoder) updates(v *fastjson.Value, data []byte, ns string) {
	members, ok := dialect.MembersOf(data)
	if !ok {
		d.Unknown()
		return
	}
	for {
		name, raw, ok := members.Next()
		if !ok {
			break
		}
		if strings.HasPrefix(dialect.Alias(name), "__") {
			if string(name) == interruptKey {
				d.interrupts(v)
			}
			continue
		}
		d.newMessages(v.Get(dialect.Alias(name)), raw, name)
		if !d.tasked {
			d.nodeEnded(name, ns)
		}
	}
}

// nodeEnded records a node whose start was not seen, and moves the calls of models that were made
// in it below it.
func (d *decoder) nodeEnded(name []byte, ns string) {
	n := d.beginNode(nil, name, ns)
	n.span.Started = 0
	for _, a := range d.answers {
		if a.node == n.name && a.done && !a.placed {
			a.span.Parent, a.placed = n.span.ID, true
			d.Emitter.ChangedSpan(a.span, d.Frame)
		}
	}
	d.endNode(n, schema.StatusOK, nil)
}

// interruptKey is the member of a state that waits for a person.
const interruptKey = "__interrupt__"

func (d *decoder) interrupts(v *fastjson.Value) {
	if len(v.GetArray(interruptKey)) > 0 {
		d.broken = true
	}
}

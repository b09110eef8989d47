package loom

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// node is a node run in progress: a conversation below the run's.
type node struct {
	model.Conversation
	name string
	// free is when a call of a model may have begun: when the node was entered, or when its
	// latest activity ended, ns. A node does one thing at a time.
	free int64
}

const openNodes = 256 // of one run; more mean that frames were lost

// begin begins a node run below a span.
func (r *run) begin(e *event, below *dialect.Span) *node {
	n := &node{name: string(e.name)}
	n.Conversation = r.OpenNode(e.nodeID, n.name, below)
	return n
}

// push adds a node run to a list of those in progress. It abandons the oldest of a full list.
func push(list *[]*node, n *node) {
	if len(*list) >= openNodes {
		(*list)[0].Abandon()
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, n)
}

func drop(list *[]*node, n *node) {
	if i := slices.Index(*list, n); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
}

// enter reads a node_enter. The node think only calls a model, so that its call begins before the
// first token.
func (d *decoder) enter(r *run, e *event) {
	below, inside := r.Run(), r.Executing()
	if inside != nil {
		below = inside.Span // the tool is an agent
	} else if old := r.unleft(e); old != nil {
		old.Abandon()
		drop(&r.nodes, old)
	}
	n := r.begin(e, below)
	push(&r.nodes, n)
	n.free = d.Frame.At
	if ns := e.o.text(fNamespace); len(ns) > 0 {
		var attrs dialect.Attributes
		attrs.AddText("namespace", string(ns))
		n.Run().Attributes = attrs.Text()
	}
	r.failed = false
	if n.name == "think" {
		r.callIn(n, nil)
	}
}

// unleft returns an open node run that has ended because another one begins: both have the same
// id, or without ids the same name. Its exit was lost.
func (r *run) unleft(e *event) *node {
	for _, n := range slices.Backward(r.nodes) {
		if n.name == string(e.name) && n.Node == string(e.node) {
			return n
		}
	}
	return nil
}

// leave reads a node_exit.
func (d *decoder) leave(r *run, e *event) {
	n := r.exited(e)
	if n == nil {
		n = r.begin(e, r.Run())
		n.Run().Started = 0 // only its end was seen
	}
	status, why := outcome(e)
	if call := n.endCall(status, why); call != nil {
		r.uncosted, r.uncostedNode = call, n.Node
	}
	r.Leave(&n.Conversation)
	n.EndRun(status, []byte(why))
	drop(&r.nodes, n)
	r.left, r.failed, r.failure = true, status == schema.StatusError, why
}

// outcome reads a result: "Ok" or {"Err": text}. Any other value that is not a text is a success.
func outcome(e *event) (schema.Status, string) {
	v := e.o.member[fResult]
	if text := e.o.text(fResult); len(text) > 0 && string(text) != "Ok" && string(text) != "ok" {
		return schema.StatusError, dialect.Short(text)
	}
	if v = dialect.RawMember(v, "Err"); v == nil {
		return schema.StatusOK, ""
	}
	text, _ := dialect.RawContent(v)
	return schema.StatusError, dialect.Short(text)
}

// exited returns the node run of an exit: the one with its id and name, else the one with its
// name. An exit without a name ends the one with its id, or the latest.
func (r *run) exited(e *event) *node {
	var named *node
	known := false
	for _, n := range slices.Backward(r.nodes) {
		same, here := n.name == string(e.name), n.Node == string(e.node)
		if here && (same || len(e.name) == 0) {
			return n
		}
		if same && named == nil {
			named = n
		}
		known = known || here
	}
	switch {
	case named != nil && (len(e.node) == 0 || named.Node == "" || !known):
		return named
	case len(e.name) == 0 && len(e.node) == 0 && len(r.nodes) > 0:
		return r.nodes[len(r.nodes)-1]
	}
	return nil
}

// of returns the node run of an event: by its id, by the node's name, else the one entered last.
// Ids stay in use after their node's exit, so that an unknown id without a name is no evidence.
// r.loose takes other events.
func (r *run) of(e *event, byName bool) *node {
	r.loose.Node = e.nodeID
	if len(r.nodes) == 0 {
		return &r.loose
	}
	latest := r.nodes[len(r.nodes)-1]
	if len(e.node) > 0 {
		for i := len(r.nodes) - 1; i >= 0; i-- {
			if n := r.nodes[i]; n.Node == string(e.node) {
				return n
			}
		}
	}
	if !byName || len(e.name) == 0 {
		return latest
	}
	for _, n := range slices.Backward(r.nodes) {
		if n.name == string(e.name) {
			return n
		}
	}
	return &r.loose
}

const graphAttributes = `{"graph":"got"}`

// enterGraph reads a got_node_start: a node of a graph of thoughts.
func (d *decoder) enterGraph(r *run, e *event) { d.graphNode(r, e) }

func (d *decoder) graphNode(r *run, e *event) *node {
	n := r.begin(e, r.of(e, false).Run())
	n.Run().Attributes = graphAttributes
	push(&r.graph, n)
	return n
}

// leaveGraph reads a got_node_complete or got_node_failed.
func (d *decoder) leaveGraph(r *run, e *event) {
	var n *node
	for _, o := range slices.Backward(r.graph) {
		if o.name == string(e.name) {
			n = o
			break
		}
	}
	if n == nil {
		n = d.graphNode(r, e)
		n.Run().Started = 0
	}
	if e.o.has(fResultSummary) {
		attrs := dialect.Attributes(graphAttributes[:len(graphAttributes)-1])
		attrs.AddRaw("result_summary", e.o.member[fResultSummary])
		n.Run().Attributes = attrs.Text()
	}
	drop(&r.graph, n)
	if e.kind.name == "got_node_failed" {
		n.EndRun(schema.StatusError, e.o.text(fError))
	} else {
		n.EndRun(schema.StatusOK, nil)
	}
}

package loom

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// enterGraph reads a got_node_start: a node of a graph of thoughts.
func (d *decoder) enterGraph(r *run, e *event) {
	d.openGraphNode(r, e)
}

func (d *decoder) openGraphNode(r *run, e *event) *node {
	n := &node{id: e.nodeID, name: string(e.name)}
	n.span = d.openNode(r, n)
	n.span.Parent = r.parent(r.of(e, false))
	n.span.Attributes = `{"graph":"got"}`
	if len(r.graph) >= openNodes {
		d.abandonNode(r.graph[0])
		r.graph = append(r.graph[:0], r.graph[1:]...)
	}
	r.graph = append(r.graph, n)
	return n
}

// leaveGraph reads a got_node_complete or got_node_failed.
func (d *decoder) leaveGraph(r *run, e *event) {
	var n *node
	for i := len(r.graph) - 1; i >= 0 && n == nil; i-- {
		if r.graph[i].name == string(e.name) {
			n = r.graph[i]
		}
	}
	if n == nil {
		n = d.openGraphNode(r, e)
		n.span.Started = 0
	}
	status := schema.StatusOK
	if e.kind == gotNodeFailed {
		status, n.span.Error = schema.StatusError, dialect.Short(e.o.text(fError))
	}
	if e.o.has(fResultSummary) {
		attrs := dialect.Attributes{}
		attrs.AddText("graph", "got")
		attrs.AddRaw("result_summary", e.o.member[fResultSummary])
		n.span.Attributes = attrs.Text()
	}
	d.emitter.CloseSpan(n.span, status, d.frame)
	for i, o := range r.graph {
		if o == n {
			r.graph = append(r.graph[:i], r.graph[i+1:]...)
			return
		}
	}
}

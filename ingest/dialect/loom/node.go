package loom

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// node is a node run in progress.
type node struct {
	span     *dialect.Span
	id, name string
	call     *call // the call of a model in progress
	// free is since when a call of a model may have been under way: since the
	// node was entered or what ran in it last had ended, ns. A node does one
	// thing at a time.
	free int64
}

const openNodes = 256 // of one run; more than that are frames lost

// enter reads a node_enter. The node think does nothing but call a model, so
// that the call is seen while its first token is waited for.
func (d *decoder) enter(r *run, e *event) {
	if old := r.unleft(e); old != nil {
		d.abandonNode(old)
		r.drop(old)
	}
	n := &node{id: e.nodeID, name: string(e.name), free: d.frame.At}
	n.span = d.openNode(r, n)
	n.span.Parent = r.span.ID
	if t := r.tools.executing(r.gaps); t != nil {
		n.span.Parent = t.span.ID // the tool is an agent itself
	}
	if ns := e.o.text(fNamespace); len(ns) > 0 {
		var attrs dialect.Attributes
		attrs.AddText("namespace", string(ns))
		n.span.Attributes = attrs.Text()
	}
	if len(r.nodes) >= openNodes {
		d.abandonNode(r.nodes[0])
		r.drop(r.nodes[0])
	}
	r.nodes = append(r.nodes, n)
	r.failed = false
	if n.name == "think" {
		d.callIn(r, n, "")
	}
}

func (d *decoder) openNode(r *run, n *node) *dialect.Span {
	s := d.emitter.OpenSpan(schema.SpanNode, d.id("node"), n.name, d.frame)
	r.fill(&s.Fact, n)
	d.unclock(s)
	return s
}

// unleft gives an open node run that the one which begins proves over: it has
// the same id, or without ids the same name. Its exit was lost.
func (r *run) unleft(e *event) *node {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		n := r.nodes[i]
		if n.name == string(e.name) && n.id == string(e.node) && r.tools.executing(r.gaps) == nil {
			return n
		}
	}
	return nil
}

// leave reads a node_exit.
func (d *decoder) leave(r *run, e *event) {
	n := r.exited(e)
	if n == nil {
		n = &node{id: e.nodeID, name: string(e.name)}
		n.span = d.openNode(r, n)
		n.span.Parent, n.span.Started = r.span.ID, 0 // only its end was seen
	}
	status, err := outcome(e)
	if n.call != nil {
		r.uncosted = &costless{node: n.id, call: n.call}
		d.endCall(n.call, status, err)
		n.call = nil
	}
	n.span.Error = err
	d.emitter.CloseSpan(n.span, status, d.frame)
	r.drop(n)
	r.tools.left(n)
	r.left, r.failed, r.failure = true, status == schema.StatusError, err
}

// outcome reads a result: "Ok" or {"Err": text}. What is neither, and no text
// either, is taken for good.
func outcome(e *event) (schema.Status, string) {
	v := e.o.member[fResult]
	if isString(v) {
		if text := e.o.text(fResult); len(text) > 0 && string(text) != "Ok" && string(text) != "ok" {
			return schema.StatusError, dialect.Short(text)
		}
	}
	err := dialect.RawMember(v, "Err")
	switch {
	case err == nil:
		return schema.StatusOK, ""
	case isString(err):
		text, _ := dialect.Unquote(err, nil)
		return schema.StatusError, dialect.Short(text)
	}
	return schema.StatusError, dialect.Short(err)
}

// exited finds the node run that an exit is of: the one with its id and name,
// else with its name, else, where it has no name, with its id or the latest.
func (r *run) exited(e *event) *node {
	var named *node
	for i := len(r.nodes) - 1; i >= 0; i-- {
		n := r.nodes[i]
		same := n.name == string(e.name)
		if n.id == string(e.node) && (same || len(e.name) == 0) {
			return n
		}
		if same && named == nil {
			named = n
		}
	}
	switch {
	case named != nil && (len(e.node) == 0 || named.id == "" || !r.hasNode(e.node)):
		return named
	case len(e.name) == 0 && len(e.node) == 0 && len(r.nodes) > 0:
		return r.nodes[len(r.nodes)-1]
	}
	return nil
}

func (r *run) hasNode(id []byte) bool {
	for _, n := range r.nodes {
		if n.id == string(id) {
			return true
		}
	}
	return false
}

// of finds the node run that an event belongs to: by its id, by the node's
// name, else the one entered last. Ids go on after their node's exit, so that
// an unknown one says nothing where no name does. r.loose takes what is left.
func (r *run) of(e *event, byName bool) *node {
	r.loose.id = e.nodeID
	if len(r.nodes) == 0 {
		return &r.loose
	}
	latest := r.nodes[len(r.nodes)-1]
	if len(e.node) > 0 {
		if latest.id == string(e.node) {
			return latest
		}
		for i := len(r.nodes) - 2; i >= 0; i-- {
			if r.nodes[i].id == string(e.node) {
				return r.nodes[i]
			}
		}
	}
	if byName && len(e.name) > 0 {
		for i := len(r.nodes) - 1; i >= 0; i-- {
			if r.nodes[i].name == string(e.name) {
				return r.nodes[i]
			}
		}
		return &r.loose
	}
	return latest
}

func (r *run) drop(n *node) {
	for i, o := range r.nodes {
		if o == n {
			r.nodes = append(r.nodes[:i], r.nodes[i+1:]...)
			return
		}
	}
}

func (d *decoder) abandonNode(n *node) {
	if n.call != nil {
		d.abandonCall(n.call)
		n.call = nil
	}
	d.abandon(n.span)
}

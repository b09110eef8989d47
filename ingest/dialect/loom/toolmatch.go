package loom

import (
	"slices"

	"tapedeck/ingest/dialect/model"
)

// Frames name a call by its id. A frame without an id means the oldest waiting call with its
// tool's name: Loom executes tools one after the other, in the order of the calls.

// byID returns the latest call with an id.
func (r *run) byID(id []byte) *model.Tool {
	for _, t := range slices.Backward(r.OpenTools()) {
		if t.Span.CallID == string(id) {
			return t
		}
	}
	return nil
}

// first returns the first call of a tool that fits. A missing name on either side matches any.
// With anonymous only calls without an id fit.
func (r *run) first(name []byte, anonymous bool, fits func(*model.Tool) bool) *model.Tool {
	for _, t := range r.OpenTools() {
		if s := t.Span; (len(name) == 0 || s.Name == "" || s.Name == string(name)) &&
			(!anonymous || s.CallID == "") && fits(t) {
			return t
		}
	}
	return nil
}

func uncalled(t *model.Tool) bool { return !t.Ready }
func idle(t *model.Tool) bool     { return !t.Running }
func running(t *model.Tool) bool  { return t.Running }
func whatever(*model.Tool) bool   { return true }

// chunked returns the call of a piece of arguments. A piece without an id and a name continues
// the previous call.
func (r *run) chunked(e *toolEvent) *model.Tool {
	t := r.byID(e.id)
	if len(e.id) == 0 {
		t = r.chunking
		if !slices.Contains(r.OpenTools(), t) || t.Span.Name != "" && len(e.name) > 0 && t.Span.Name != string(e.name) {
			return nil
		}
	}
	if t == nil || t.Ready || t.Running {
		return nil
	}
	return t
}

// announced returns the call that a tool_call completes: its arguments came in pieces, or its
// execution has begun. The id of a call in execution means that this is another call.
func (r *run) announced(e *toolEvent) *model.Tool {
	if len(e.id) == 0 {
		return r.first(e.name, false, uncalled)
	}
	t := r.byID(e.id)
	switch {
	case t == nil:
		return r.first(e.name, true, uncalled)
	case t.Ready && t.Running:
		return nil
	}
	return t
}

// unstarted returns the call whose execution begins, or that waits for approval.
func (r *run) unstarted(e *toolEvent) *model.Tool {
	if len(e.id) == 0 {
		if t := r.first(e.name, true, idle); t != nil {
			return t
		}
		return r.first(e.name, false, idle)
	}
	t := r.byID(e.id)
	switch {
	case t == nil:
		return r.first(e.name, true, idle)
	case t.Running:
		return nil
	}
	return t
}

// inUse returns the call of an output or an end: one in execution, else one that is not executed
// yet.
func (r *run) inUse(e *toolEvent) *model.Tool {
	anonymous := len(e.id) > 0
	if anonymous {
		for _, t := range r.OpenTools() {
			if t.Running && t.Span.CallID == string(e.id) {
				return t
			}
		}
		if t := r.byID(e.id); t != nil {
			return t
		}
	}
	if t := r.first(e.name, anonymous, running); t != nil {
		return t
	}
	return r.first(e.name, anonymous, whatever)
}

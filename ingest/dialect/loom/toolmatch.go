package loom

import (
	"slices"

	"tapedeck/ingest/dialect/model"
)

// Frames name a call by its id. Where a frame has none, a call goes by its
// tool's name, and of several with one name the one that was waiting longest
// is meant: Loom executes tools one after another, in the order of the calls.

// byID returns the latest call with an id.
func (r *run) byID(id []byte) *model.Tool {
	for _, t := range slices.Backward(r.OpenTools()) {
		if t.Span.CallID == string(id) {
			return t
		}
	}
	return nil
}

// first returns the first call of a tool that fits. Where the name is missing on
// either side it may be any. With anonymous only calls without an id fit.
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

// chunked returns the call that a piece of arguments belongs to. One that names
// nothing continues the call before.
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

// announced returns the call that a tool_call completes: one whose arguments
// came in pieces, or that is executed already. An id that a call in execution
// had is that of another call.
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

// unstarted returns the call that begins to be executed, or waits for approval.
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

// inUse returns the call that output or an end belongs to: one in execution
// before one that was only asked for.
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

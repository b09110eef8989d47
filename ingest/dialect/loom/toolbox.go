package loom

// toolbox holds the tool calls of a run that have not ended.
//
// Frames name a call by its id. Where a frame has none, a call goes by its
// tool's name, and of several with one name the one that was waiting longest
// is meant: Loom executes tools one after another, in the order of the calls.
type toolbox struct {
	open     []*tool
	chunking *tool // whose arguments are coming in
	ended    []endedTool
}

// endedTool is a call that has ended, remembered for what is told of it twice.
type endedTool struct{ id, span string }

const (
	openTools  = 1024 // of one run
	endedTools = 16
)

// byID gives the latest call with an id.
func (b *toolbox) byID(id []byte) *tool {
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i].id == string(id) {
			return b.open[i]
		}
	}
	return nil
}

// byName gives the first call of a tool that fits. Where the name is missing
// on either side it may be any.
func (b *toolbox) byName(name []byte, fits func(*tool) bool) *tool {
	for _, t := range b.open {
		if (len(name) == 0 || t.name == "" || t.name == string(name)) && fits(t) {
			return t
		}
	}
	return nil
}

// chunked gives the call that a piece of arguments belongs to.
func (b *toolbox) chunked(e *toolEvent) *tool {
	if len(e.id) > 0 {
		if t := b.byID(e.id); t != nil && !t.called && !t.started {
			return t
		}
		return nil
	}
	t := b.chunking
	if t == nil || t.called || t.started || t.name != "" && len(e.name) > 0 && t.name != string(e.name) {
		return nil
	}
	return t
}

// announced gives the call that a tool_call completes: one whose arguments
// came in pieces, or that is executed already. An id that a call in execution
// had is that of another call.
func (b *toolbox) announced(e *toolEvent) *tool {
	if len(e.id) > 0 {
		if t := b.byID(e.id); t != nil {
			if t.called && t.started {
				return nil
			}
			return t
		}
		return b.byName(e.name, func(t *tool) bool { return t.id == "" && !t.called })
	}
	return b.byName(e.name, func(t *tool) bool { return !t.called })
}

// unstarted gives the call that begins to be executed, or waits for approval.
func (b *toolbox) unstarted(e *toolEvent) *tool {
	if len(e.id) > 0 {
		if t := b.byID(e.id); t != nil {
			if t.started {
				return nil
			}
			return t
		}
		return b.byName(e.name, func(t *tool) bool { return t.id == "" && !t.started })
	}
	if t := b.byName(e.name, func(t *tool) bool { return t.id == "" && !t.started }); t != nil {
		return t
	}
	return b.byName(e.name, func(t *tool) bool { return !t.started })
}

// inUse gives the call that output or an end belongs to: one in execution
// before one that was only asked for.
func (b *toolbox) inUse(e *toolEvent) *tool {
	if len(e.id) > 0 {
		for _, t := range b.open {
			if t.id == string(e.id) && t.started {
				return t
			}
		}
		if t := b.byID(e.id); t != nil {
			return t
		}
		if t := b.byName(e.name, func(t *tool) bool { return t.id == "" && t.started }); t != nil {
			return t
		}
		return b.byName(e.name, func(t *tool) bool { return t.id == "" })
	}
	if t := b.byName(e.name, func(t *tool) bool { return t.started }); t != nil {
		return t
	}
	return b.byName(e.name, func(*tool) bool { return true })
}

// executing gives the latest call that is being executed, for what happens
// inside of it. After frames were lost its end may be among them: then none.
func (b *toolbox) executing(gaps int) *tool {
	for i := len(b.open) - 1; i >= 0; i-- {
		if t := b.open[i]; t.in != nil && t.gaps == gaps {
			return t
		}
	}
	return nil
}

// left says that a node has ended: what it executed is over, even if no end of
// it was seen.
func (b *toolbox) left(n *node) {
	for _, t := range b.open {
		if t.in == n {
			t.in = nil
		}
	}
}

// end takes a call that has ended out.
func (b *toolbox) end(t *tool) {
	b.remove(t)
	if t.id == "" {
		return
	}
	if len(b.ended) >= endedTools {
		b.ended = append(b.ended[:0], b.ended[1:]...)
	}
	b.ended = append(b.ended, endedTool{t.id, t.span.ID})
}

func (b *toolbox) remove(t *tool) {
	if b.chunking == t {
		b.chunking = nil
	}
	for i, o := range b.open {
		if o == t {
			b.open = append(b.open[:i], b.open[i+1:]...)
			return
		}
	}
}

// endedSpan gives the span of a call that has ended, "" for none.
func (b *toolbox) endedSpan(id []byte) string {
	if len(id) == 0 {
		return ""
	}
	for i := len(b.ended) - 1; i >= 0; i-- {
		if b.ended[i].id == string(id) {
			return b.ended[i].span
		}
	}
	return ""
}

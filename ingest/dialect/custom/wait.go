package custom

import (
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// toolWait is the place of a tool call that waits for a person or a client, or whose wait ends.
type toolWait struct {
	id    places
	state waitState
}

// waitState is what a frame states of a wait.
type waitState uint8

const (
	waitBegins  waitState = iota
	waitEnds              // the call is allowed, and starts
	waitRefused           // the call is refused, and does not start
)

// refused is the state of a call that was refused.
type refused struct{}

// toolWait reads "tool_wait: {id: PATH, state: …}".
func (o *object) toolWait() *toolWait {
	t := o.child("tool_wait", "id", "state")
	if t == nil {
		return nil
	}
	w := &toolWait{id: t.need("id")}
	switch t.choice("state", "begins", "ends", "refused") {
	case "ends":
		w.state = waitEnds
	case "refused":
		w.state = waitRefused
	}
	return w
}

// apply records a wait. The time of the call begins when its wait ends: a call that ends without
// that has no time.
func (w *toolWait) apply(c *conversation, s *source) {
	tool := c.OpenTool(w.id.text(s))
	if tool == nil {
		return
	}
	waiting := tool.Span.Status == schema.StatusWaiting
	switch {
	case w.state == waitBegins && !waiting:
		c.CompleteAll()
		tool.Span.Started, tool.Running = 0, false
		c.AwaitApproval(tool)
	case w.state == waitEnds && waiting:
		c.Start(tool)
	case w.state == waitRefused && tool.Data == nil:
		tool.Data = refused{}
		tool.Attrs.AddText("decision", "rejected")
		c.Noted(tool)
	}
}

// isRefused reports whether a call was refused.
func isRefused(tool *model.Tool) bool {
	_, yes := tool.Data.(refused)
	return yes
}

package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// No frame states where a call of the model begins and ends. It begins with meta_init, or with the
// result of the last tool that the agent executed; if neither is stated, with its first chunk. It
// ends with its last chunk.

// spoke begins a call of the model if none is in progress, as output of it has come.
func (d *decoder) spoke(a *agent) *dialect.Span {
	d.inRun(a)
	a.seal()
	if a.paused {
		a.work()
	}
	if a.failing != "" { // the agent tried again
		a.failing = ""
	}
	a.turn = nil
	call := a.Call()
	if call == nil {
		call = a.openCall()
	}
	a.spokeAt = d.Frame.At
	return call
}

func (a *agent) openCall() *dialect.Span {
	call := a.OpenCall()
	if a.ready != 0 {
		call.Started = a.ready
	}
	a.ready = 0
	clear(a.draft)
	a.draft = a.draft[:0]
	return call
}

// closeCall ends the call of the model at the time of its last piece.
func (a *agent) closeCall(status schema.Status) {
	call := a.Call()
	if call == nil {
		return
	}
	a.CompleteAll()
	at := a.Frame.At
	if a.spokeAt >= call.Started && status == schema.StatusOK {
		at = a.spokeAt
	}
	a.EndCallAt(status, at)
}

// text adds to the model's text or thinking. The final envelope has no text.
func (d *decoder) text(a *agent, kind schema.MessageKind, chunk []byte, final bool) {
	m := a.Growing(kind, nil)
	if m == nil && len(chunk) == 0 {
		return
	}
	d.spoke(a)
	if m == nil {
		m = a.BeginText(kind, nil)
		if kind == schema.MessageAssistant {
			a.cites = nil
			if len(a.draft) < draftLimit {
				a.draft = append(a.draft, m)
			}
		}
	}
	a.Append(kind, nil, chunk)
	if !final {
		return
	}
	a.Complete(kind, nil)
	if kind == schema.MessageAssistant {
		a.cited = m
	}
}

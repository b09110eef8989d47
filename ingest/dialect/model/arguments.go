package model

import (
	"tapedeck/ingest/dialect"
)

// ConfirmArguments takes a call's whole arguments, text or JSON (media "text" or "json"). The
// chunks so far stay if they mean the same; otherwise the whole arguments replace them. whole is
// nil if the frame does not repeat the arguments.
func (t *Conversation) ConfirmArguments(tool *Tool, whole []byte, media string) {
	if whole != nil {
		m := t.arguments(tool)
		if !dialect.SameJSON(m.TextSoFar(), whole) {
			t.Emitter.SetText(m, whole, t.Frame)
		}
		m.Media = media
		t.Emitter.Complete(m, t.Frame)
	}
	t.FinishArguments(tool)
}

package model

import (
	"tapedeck/ingest/dialect"
)

// ConfirmArguments takes a call's whole arguments, text or JSON (media "text" or
// "json"). Where they mean what the chunks came to, the chunks stand; otherwise
// they replace them. Nil is for arguments that the frame does not repeat.
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

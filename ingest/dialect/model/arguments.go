package model

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// ConfirmArguments takes a call's whole arguments, text or JSON (media "text" or
// "json"). Where they mean what the chunks came to, the chunks stand; otherwise
// they replace them. Nil is for arguments that the frame does not repeat.
func (t *Conversation) ConfirmArguments(tool *Tool, whole []byte, media string) {
	if whole != nil {
		m := t.arguments(tool)
		if !sameJSON(m.TextSoFar(), whole) {
			t.Emitter.SetText(m, whole, t.Frame)
		}
		m.Media = media
		t.Emitter.Complete(m, t.Frame)
	}
	t.FinishArguments(tool)
}

// sameLimit is the length up to which texts are compared by what they mean, bytes.
const sameLimit = 1 << 20

// sameJSON reports whether two texts are the same or mean the same as JSON.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || len(a)+len(b) > sameLimit {
		return false
	}
	x, okX := meaning(a)
	y, okY := meaning(b)
	return okX && okY && reflect.DeepEqual(x, y)
}

func meaning(text []byte) (v any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return v, decoder.Decode(&v) == nil && !decoder.More()
}

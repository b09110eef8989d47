package loom

import (
	"bytes"
	"encoding/json"
	"reflect"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// callChunk reads a tool_call_chunk: a piece of the arguments.
func (d *decoder) callChunk(r *run, e *toolEvent) {
	d.token(d.callIn(r, e.node, ""))
	t := r.tools.chunked(e)
	if t == nil {
		t = d.openTool(r, e)
	}
	d.identify(t, e)
	r.tools.chunking = t
	piece, _ := dialect.Unquote(e.value, nil)
	if len(piece) == 0 {
		return
	}
	if t.args == nil {
		t.args = d.toolMessage(r, t, schema.MessageArguments, "arguments", "json")
	}
	d.emitter.Append(t.args, piece, d.frame)
}

// arguments takes the whole arguments. Where they say what the chunks said,
// the chunks stand; otherwise they replace them.
func (d *decoder) arguments(r *run, t *tool, e *toolEvent) {
	text, media := textOf(e)
	if text == nil {
		d.complete(t.args)
		return
	}
	if t.args == nil {
		t.args = d.toolMessage(r, t, schema.MessageArguments, "arguments", media)
	}
	if !sameJSON(t.args.TextSoFar(), text) {
		d.emitter.SetText(t.args, text, d.frame)
	}
	t.args.Media = media
	d.emitter.Complete(t.args, d.frame)
}

// textOf gives a value as text, and what that is; nil for none.
func textOf(e *toolEvent) (text []byte, media string) {
	switch {
	case !isThere(e.value):
		return nil, ""
	case isString(e.value):
		text, _ = dialect.Unquote(e.value, nil)
		return text, "text"
	}
	return e.value, "json"
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

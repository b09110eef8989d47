package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// unnamed finds the response of a chunk without an id. It is the present one, unless that has
// finished and the chunk has content, which begins another response. The present response is marked
// if the chunk may be another's: others are in progress, or another one ends in the middle of it.
func (d *chat) unnamed(v *fastjson.Value, choices []*fastjson.Value) {
	if d.Run() == nil {
		return
	}
	if !d.single && d.finished() {
		if d.begun(choices) && (says(choices[0]) || names(choices[0]) && !ends(choices[0]) && !dialect.IsObject(v.Get("usage"))) {
			d.leave()
			return
		}
		if d.anothersEnd(v, choices) {
			d.usage = nil // it counts another response
			d.mix()
		}
	}
	if d.othersOpen() {
		d.mix()
	}
}

// mix marks the present response: it may have chunks of another one.
func (d *chat) mix() {
	if !d.mixed {
		d.mixed = true
		d.noteRun()
	}
}

// begun reports whether chunks belong to choices that were seen. A new choice may be a further
// one of the response.
func (d *chat) begun(choices []*fastjson.Value) bool {
	if len(choices) == 0 {
		return false
	}
	for i := range d.choices {
		if d.choices[i].index == choices[0].GetInt("index") {
			return true
		}
	}
	return false
}

// anothersEnd reports whether a chunk ends a choice that has ended already, and states another
// count of the input: the input count of a response does not change.
func (d *chat) anothersEnd(v *fastjson.Value, choices []*fastjson.Value) bool {
	if d.usage == nil || len(choices) == 0 || !ends(choices[0]) {
		return false
	}
	t := &d.usage.Tokens
	input := v.GetUint64("usage", "prompt_tokens")
	return input != 0 && input != t.Input+t.CacheRead+t.CacheWrite5m+t.CacheWrite1h
}

// says reports whether a choice in a chunk has content.
func says(choice *fastjson.Value) bool {
	if len(choice.GetStringBytes("text")) > 0 {
		return true
	}
	return saysIn(choice, "delta") || saysIn(choice, "message")
}

// saysIn reports whether a member of a choice has content.
func saysIn(choice *fastjson.Value, name string) bool { return saysOf(choice.Get(name)) }

// saysOf reports whether a delta or a message has content.
func saysOf(v *fastjson.Value) bool {
	for _, text := range [...]string{"content", "reasoning_content", "reasoning", "refusal"} {
		if len(v.GetStringBytes(text)) > 0 {
			return true
		}
	}
	return len(v.GetArray("tool_calls")) > 0 || len(v.GetArray("content")) > 0 || dialect.IsObject(v.Get("function_call"))
}

// names reports whether a choice in a chunk names a role, as its first chunk does.
func names(choice *fastjson.Value) bool {
	return len(choice.GetStringBytes("delta", "role")) > 0 || len(choice.GetStringBytes("message", "role")) > 0
}

// ends reports whether a choice in a chunk has a finish reason.
func ends(choice *fastjson.Value) bool { return len(choice.GetStringBytes("finish_reason")) > 0 }

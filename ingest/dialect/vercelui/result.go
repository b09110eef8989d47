package vercelui

import (
	"bytes"
	"encoding/json"
	"reflect"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// toolOutput reads what a tool gave, or that it gave nothing.
func (d *decoder) toolOutput(k kind, in *dialect.Input) {
	v := in.JSON
	id := v.GetStringBytes("toolCallId")
	if len(id) == 0 {
		return
	}
	result, media, status, why := outcome(k, in)
	if v.GetBool("preliminary") {
		if one := d.seen(id); one != nil {
			d.talk.SetOutput(one.Tool, result)
		}
		return
	}
	if one := d.seen(id); one != nil && v.GetBool("providerExecuted") {
		one.provider = true
	}
	d.returned(id, result, media, status, why)
}

// seen gives the call that a result is of, nil if it has ended. Of one that
// another stream asked for the start is not known, and the place is that stream's.
func (d *decoder) seen(id []byte) *call {
	if d.talk.Ended(id) {
		return nil
	}
	known := d.talk.OpenTool(id) != nil
	one := d.call(id, nil, false)
	if one != nil && !known {
		one.Span.Started, one.Span.Parent = 0, ""
	}
	return one
}

// returned ends a call.
func (d *decoder) returned(id, result []byte, media string, status schema.Status, why []byte) {
	one := d.seen(id)
	if one == nil {
		return
	}
	if one.denied {
		status = schema.StatusRejected
	}
	if result != nil {
		d.talk.Returned(one.Tool, result, media)
	}
	d.endTool(one, status, why)
}

// outcome reads a chunk that ends a call.
func outcome(k kind, in *dialect.Input) (result []byte, media string, status schema.Status, why []byte) {
	switch k {
	case outputDenied:
		return nil, "", schema.StatusRejected, in.JSON.GetStringBytes("reason")
	case outputError:
		why = in.JSON.GetStringBytes("errorText")
		return why, "text", schema.StatusError, why
	}
	raw := dialect.RawMember(in.Data, "output")
	result, media = content(raw)
	status, why = judge(raw)
	return result, media, status, why
}

// content gives a value as the text of a message: a string as text, all else as
// the JSON that it is.
func content(raw []byte) (text []byte, media string) {
	if text, _ = dialect.Unquote(raw, nil); text != nil {
		return text, "text"
	}
	return raw, "json"
}

// judge finds out whether an output tells of an error: the protocol has a chunk
// of its own for that, but results of MCP tools and Compozy's events come as
// output in any case.
func judge(output []byte) (status schema.Status, why []byte) {
	if dialect.RawTrue(dialect.RawMember(output, "isError")) {
		if list := dialect.RawMember(output, "content"); len(list) > 0 && list[0] == '[' {
			return schema.StatusError, firstText(list)
		}
	}
	if isCompozyEvent(output) {
		if why, _ = dialect.Unquote(dialect.RawMember(output, "error"), nil); len(why) > 0 {
			return schema.StatusError, why
		}
	}
	return schema.StatusOK, nil
}

// firstText is the first text of a list of parts.
func firstText(list []byte) (text []byte) {
	dialect.RawElements(list, func(part []byte) bool {
		text, _ = dialect.Unquote(dialect.RawMember(part, "text"), nil)
		return text == nil
	})
	return text
}

// sameLimit is the length up to which texts are compared by what they mean, bytes.
const sameLimit = 1 << 20

// sameJSON reports whether two texts mean the same as JSON.
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

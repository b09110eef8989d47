package interactions

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// placeOf reads the head of a request. creates reports POST /v1beta/interactions. viewed is the
// id in GET …/interactions/{id} and POST …/interactions/{id}/cancel. On Vertex AI the path begins
// with a project and a location.
func placeOf(h *dialect.Head) (creates bool, viewed []byte) {
	path := bytes.TrimSuffix(h.Path, []byte("/"))
	if !bytes.Contains(path, []byte("/v1")) {
		return false, nil
	}
	if bytes.HasSuffix(path, []byte("/interactions")) {
		return string(h.Method) == "POST", nil
	}
	_, id, _ := bytes.Cut(path, []byte("/interactions/"))
	id, rest, _ := bytes.Cut(id, []byte("/"))
	if string(h.Method) == "GET" && len(rest) == 0 || string(h.Method) == "POST" && string(rest) == "cancel" {
		return false, id
	}
	return false, nil
}

// Request implements model.API.
func (d *decoder) Request(h *dialect.Head) {
	d.Next()
	creates, viewed := placeOf(h)
	d.Foreign = !creates && len(viewed) == 0
	d.viewed = string(viewed)
	d.forget()
	if creates {
		d.asks()
	}
}

// modelOf returns the model that a request or an answer names.
func modelOf(v *fastjson.Value) []byte {
	return bytes.TrimPrefix(v.GetStringBytes("model"), []byte("models/"))
}

// request reads the new part of a request's body. Earlier requests had everything up to the
// model's last output.
func (d *decoder) request(v *fastjson.Value, raw []byte) string {
	input := v.Get("input")
	if input == nil {
		d.Unknown()
		return typeRequest
	}
	if d.Run() == nil || d.begun { // no head was recorded
		d.Leave()
		d.viewed = ""
		d.asks()
	}
	d.CorrectModel(modelOf(v), provider, d.Run(), d.Call())
	d.takeAgent(v)
	d.notePrevious(v)
	d.input(input, dialect.RawMember(raw, "input"))
	return typeRequest
}

// input reads the input: a text, the contents of a message, turns or steps.
func (d *decoder) input(v *fastjson.Value, raw []byte) {
	switch v.Type() {
	case fastjson.TypeString:
		d.AwaitID(d.UserMessage(v.GetStringBytes()))
	case fastjson.TypeObject:
		d.ask([]*fastjson.Value{v})
		d.element(0, v, raw)
	case fastjson.TypeArray:
		list := v.GetArray()
		first := dialect.NewSince(list, ofModel, false)
		d.ask(list[first:])
		dialect.Elements(list, raw, first, d.element)
	}
}

// ofModel reports whether an element of the input is output of the model.
func ofModel(v *fastjson.Value) bool {
	typ := v.GetStringBytes("type")
	switch string(typ) {
	case "":
		return string(v.GetStringBytes("role")) == "model"
	case "model_output", "thought":
		return true
	case functionResult:
		return false
	}
	return bytes.HasSuffix(typ, []byte("_call")) || bytes.HasSuffix(typ, []byte("_result"))
}

// element reads a turn or a step of the input, or a result among the contents of a message.
func (d *decoder) element(_ int, v *fastjson.Value, raw []byte) {
	if string(v.GetStringBytes("type")) == functionResult {
		text, media := dialect.RawContent(dialect.RawMember(raw, "result"))
		status, why := statusOf(v, text)
		d.ResultOf(v.GetStringBytes("call_id"), v.GetStringBytes("name"), text, media, status, why)
		return
	}
	if content := v.Get("content"); content != nil {
		d.input(content, dialect.RawMember(raw, "content"))
	}
}

// ask records a message of the user: its texts, one a line, and the types of its other contents.
func (d *decoder) ask(list []*fastjson.Value) {
	var text []byte
	var others dialect.List
	texts := 0
	for _, v := range list {
		switch typ := v.GetStringBytes("type"); string(typ) {
		case "text":
			if texts++; texts > 1 {
				text = append(text, '\n')
			}
			text = append(text, v.GetStringBytes("text")...)
		case "image", "audio", "video", "document":
			if len(others) < partsLimit {
				others.AddText(typ)
			}
		}
	}
	if texts == 0 && len(others) == 0 {
		return
	}
	m := d.UserMessage(text)
	m.Attributes = dialect.Attribute("parts", others.JSON())
	d.AwaitID(m)
}

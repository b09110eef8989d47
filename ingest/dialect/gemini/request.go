package gemini

import (
	"bytes"
	"net/url"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// endpointOf reads a request's path: …/models/{model}:generateContent, with
// projects and locations before it on Vertex AI. The model may also be a tuned
// one or an endpoint, and is not in the path where the body names it.
func endpointOf(path []byte) (model string, generates bool) {
	text := string(path)
	if bytes.IndexByte(path, '%') >= 0 {
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
	}
	colon := -1
	for i := len(text) - 1; i >= 0 && text[i] != '/'; i-- {
		if text[i] == ':' {
			colon = i
			break
		}
	}
	if colon < 0 {
		return "", false
	}
	switch text[colon+1:] {
	case "generateContent", "streamGenerateContent":
	default:
		return "", false
	}
	start := colon
	for start > 0 && text[start-1] != '/' {
		start--
	}
	if model = text[start:colon]; start < 2 || model == "v1internal" {
		return "", true
	}
	return model, true
}

// head reads the head of a request, with which a call of the model begins, or
// that of its answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status != 0 {
		if h.Status >= 400 {
			d.status = h.Status
		}
		return
	}
	model, generates := endpointOf(h.Path)
	d.letGo()
	d.status, d.foreign = 0, !generates
	if d.foreign {
		return
	}
	d.asks(model)
}

// asks begins a call of a model.
func (d *decoder) asks(model string) {
	d.Model, d.Provider = model, provider
	d.OpenRun("")
	d.OpenCall()
}

// request reads the body of a request: what of it is new.
func (d *decoder) request(in *dialect.Input) string {
	body, raw := in.JSON, in.Data
	if inside := body.Get("request"); isObject(inside) && body.Get("contents") == nil {
		body, raw = inside, dialect.RawMember(raw, "request")
	}
	contents := body.Get("contents")
	if contents == nil {
		d.Unknown()
		return "request"
	}
	if d.Run() == nil || d.answer.begun { // its head was not seen
		d.letGo()
		d.asks("")
	}
	if model := bytes.TrimPrefix(in.JSON.GetStringBytes("model"), []byte("models/")); len(model) > 0 && d.Model == "" {
		d.SetModel(string(model), provider)
	}
	raw = dialect.RawMember(raw, "contents")
	if isObject(contents) {
		d.content(contents, raw)
		return "request"
	}
	list := contents.GetArray()
	from, i := newFrom(list), 0
	dialect.RawElements(raw, func(raw []byte) bool {
		if i >= from && i < len(list) {
			d.content(list[i], raw)
		}
		i++
		return true
	})
	return "request"
}

// newFrom gives the first content that no earlier request held: what stands
// after the model's last answer.
func newFrom(contents []*fastjson.Value) int {
	i := len(contents) - 1
	if i >= 0 && isModel(contents[i]) {
		i-- // the beginning of the answer that is asked for
	}
	for i >= 0 && !isModel(contents[i]) {
		i--
	}
	return i + 1
}

func isModel(content *fastjson.Value) bool { return string(content.GetStringBytes("role")) == "model" }

// content tells a new content: what the user says, and the results of the
// functions that the client executed.
func (d *decoder) content(v *fastjson.Value, raw []byte) {
	if isModel(v) {
		return
	}
	d.text = d.text[:0]
	var others []byte
	texts, i := 0, 0
	parts := v.GetArray("parts")
	dialect.RawElements(dialect.RawMember(raw, "parts"), func(raw []byte) bool {
		if i >= len(parts) {
			return false
		}
		part := parts[i]
		i++
		if text := part.GetStringBytes("text"); text != nil {
			if texts++; texts > 1 {
				d.text = append(d.text, '\n')
			}
			d.text = append(d.text, text...)
			return true
		}
		if result := part.Get("functionResponse"); result != nil {
			d.functionResponse(result, dialect.RawMember(raw, "functionResponse"))
			return true
		}
		if kind := kindOf(raw); kind != "" && len(others) < otherParts {
			if len(others) > 0 {
				others = append(others, ',')
			}
			others = strconv.AppendQuote(others, kind)
		}
		return true
	})
	if texts == 0 && len(others) == 0 {
		return
	}
	m := d.UserMessage(d.text)
	if len(others) > 0 {
		var a dialect.Attributes
		a.AddRaw("parts", []byte("["+string(others)+"]"))
		m.Attributes = a.Text()
	}
	if len(d.asked) < askedLimit {
		d.asked = append(d.asked, m)
	}
	if cap(d.text) > 1<<10 {
		d.text = nil
	}
}

// Bounds: messages that wait for the id of their run, and what is told of the
// parts of one that are no text, bytes.
const (
	askedLimit = 64
	otherParts = 256
)

// kindOf is what a part is: the member that is not about it.
func kindOf(part []byte) string {
	members, ok := dialect.MembersOf(part)
	for ok {
		var name []byte
		if name, _, ok = members.Next(); ok {
			switch string(name) {
			case "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata":
			default:
				return dialect.Intern(name)
			}
		}
	}
	return ""
}

// nameRun gives the run, and what was asked for it, the id of the response.
func (d *decoder) nameRun(id string) {
	d.NameRun(id)
	for _, m := range d.asked {
		m.Run = id
		d.Emitter.ChangedMessage(m, d.Frame)
	}
	d.asked = nil
	for _, tool := range d.OpenTools() {
		tool.Span.Run = id
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
}

// functionResponse reads {"id"?,"name","response"}. Without an id it cannot be
// told which call it answers: then the call stays as it is.
func (d *decoder) functionResponse(v *fastjson.Value, raw []byte) {
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	response := dialect.RawMember(raw, "response")
	if len(id) == 0 {
		m := d.Say(schema.MessageResult, response)
		m.Name, m.Media, m.Span = string(name), "json", d.Run().ID
		if len(d.asked) < askedLimit {
			d.asked = append(d.asked, m)
		}
		return
	}
	status, why := schema.StatusOK, v.GetStringBytes("response", "error")
	if failed := v.Get("response", "error"); failed != nil && failed.Type() != fastjson.TypeNull {
		status = schema.StatusError
		if why == nil {
			why = dialect.RawPath(raw, "response.error")
		}
	}
	d.ResultOf(id, name, response, "json", status, why)
}

package gemini

import (
	"bytes"
	"net/url"
	"strings"

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
	start := strings.LastIndexByte(text, '/') + 1
	colon := max(strings.LastIndexByte(text, ':'), start)
	switch model = text[start:colon]; text[colon:] {
	case ":generateContent", ":streamGenerateContent":
	default:
		return "", false
	}
	if start < 2 || model == "v1internal" {
		return "", true
	}
	return model, true
}

// head reads the head of a request, with which a call of the model begins, or
// that of its answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status != 0 {
		if h.Status >= 400 {
			d.refusal.Answer(h.Status)
		}
		return
	}
	model, generates := endpointOf(h.Path)
	d.leave()
	d.leaveOthers()
	d.refusal.Answer(0)
	d.foreign = !generates
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
	if inside := body.Get("request"); dialect.IsObject(inside) && body.Get("contents") == nil {
		body, raw = inside, dialect.RawMember(raw, "request")
	}
	contents := body.Get("contents")
	if contents == nil {
		d.Unknown()
		return "request"
	}
	if d.Run() == nil || d.answer.begun { // its head was not seen
		d.leave()
		d.leaveOthers()
		d.asks("")
	}
	if model := bytes.TrimPrefix(in.JSON.GetStringBytes("model"), []byte("models/")); len(model) > 0 && d.Model == "" {
		d.SetModel(string(model), provider)
	}
	raw = dialect.RawMember(raw, "contents")
	if dialect.IsObject(contents) {
		d.content(contents, raw)
		return "request"
	}
	list := contents.GetArray()
	dialect.Elements(list, raw, dialect.NewSince(list, isModel, true), func(_ int, v *fastjson.Value, raw []byte) {
		d.content(v, raw)
	})
	return "request"
}

func isModel(content *fastjson.Value) bool { return string(content.GetStringBytes("role")) == "model" }

// content records a new content: what the user says, and the results of the
// functions that the client executed.
func (d *decoder) content(v *fastjson.Value, raw []byte) {
	if isModel(v) {
		return
	}
	d.text = d.text[:0]
	var others dialect.List
	texts := 0
	dialect.Elements(v.GetArray("parts"), dialect.RawMember(raw, "parts"), 0, func(_ int, part *fastjson.Value, raw []byte) {
		if text := part.GetStringBytes("text"); text != nil {
			if texts++; texts > 1 {
				d.text = append(d.text, '\n')
			}
			d.text = append(d.text, text...)
		} else if result := part.Get("functionResponse"); result != nil {
			d.functionResponse(result, dialect.RawMember(raw, "functionResponse"))
		} else if kind := kindOf(raw); kind != "" && len(others) < otherParts {
			others.AddText([]byte(kind))
		}
	})
	if texts == 0 && len(others) == 0 {
		return
	}
	m := d.UserMessage(d.text)
	m.Attributes = dialect.Attribute("parts", others.JSON())
	d.AwaitID(m)
	if cap(d.text) > 1<<10 {
		d.text = nil
	}
}

// otherParts bounds what is kept of the parts of a message that are no text, bytes.
const otherParts = 256

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

// nameRun sets the id of the run, and of its calls, to that of the response.
func (d *decoder) nameRun(id string) {
	d.NameRun(id)
	for _, tool := range d.OpenTools() {
		tool.Span.Run = id
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
}

// functionResponse reads {"id"?,"name","response"}. Without an id it cannot be
// known which call it answers: then the call stays as it is.
func (d *decoder) functionResponse(v *fastjson.Value, raw []byte) {
	id, name := v.GetStringBytes("id"), v.GetStringBytes("name")
	response := dialect.RawMember(raw, "response")
	if len(id) == 0 {
		m := d.Say(schema.MessageResult, response)
		m.Name, m.Media, m.Span = string(name), "json", d.Run().ID
		d.AwaitID(m)
		return
	}
	status, why := schema.StatusOK, v.GetStringBytes("response", "error")
	if !dialect.IsNull(v.Get("response", "error")) {
		status = schema.StatusError
		if why == nil {
			why = dialect.RawPath(raw, "response.error")
		}
	}
	d.ResultOf(id, name, response, "json", status, why)
}

package gemini

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/gemini/content"
	"tapedeck/ingest/dialect/model"
)

// endpointOf reads a request's path: …/models/{model}:generateContent, on Vertex AI after a project
// and a location. The model may be a tuned model or an endpoint. It is "" if the body names it.
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

// Request implements model.API.
func (d *decoder) Request(h *dialect.Head) {
	d.Next()
	model, generates := endpointOf(h.Path)
	if d.Foreign = !generates; !d.Foreign {
		d.asks(model)
		d.Billing.Region = locationOf(h.Path)
	}
}

// locationOf returns the location in a path of Vertex AI, or "".
func locationOf(path []byte) string {
	_, rest, _ := bytes.Cut(path, []byte("/locations/"))
	location, _, _ := bytes.Cut(rest, []byte("/"))
	return dialect.StatedText(location)
}

func requested(name string) model.Billing { return model.Billing{RequestedModel: name} }

// asks begins a call of a model.
func (d *decoder) asks(model string) {
	d.Model, d.Provider = model, provider
	d.Billing = requested(model)
	d.OpenRun("")
	d.OpenCall()
}

// request reads the new part of a request's body.
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
	if d.Run() == nil || d.answer.begun { // no head was recorded
		d.Leave()
		d.asks("")
	}
	if model := bytes.TrimPrefix(in.JSON.GetStringBytes("model"), []byte("models/")); len(model) > 0 && d.Model == "" {
		d.SetModel(string(model), provider)
		d.Billing.RequestedModel = d.Model
	}
	d.instruct(raw)
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

// instruct records the system instruction and the tools of a request.
func (d *decoder) instruct(raw []byte) {
	for _, name := range [...]string{"systemInstruction", "system_instruction"} {
		if instruction := dialect.RawMember(raw, name); instruction != nil {
			d.Instruct(dialect.RawWords(dialect.RawMember(instruction, "parts")))
		}
	}
	d.Offer(content.Offered(raw))
}

func isModel(content *fastjson.Value) bool { return string(content.GetStringBytes("role")) == "model" }

// content records a new content of a request.
func (d *decoder) content(v *fastjson.Value, raw []byte) {
	if !isModel(v) {
		content.Ask(&d.Conversation, v, raw)
	}
}

// nameRun sets the id of the run and of its calls to the id of the response.
func (d *decoder) nameRun(id string) {
	d.NameRun(id)
	for _, tool := range d.OpenTools() {
		tool.Span.Run = id
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
}

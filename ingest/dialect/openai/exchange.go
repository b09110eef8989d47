package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// exchange is what the decoders of both APIs share.
type exchange struct {
	model.Exchange
	buf []byte // scratch of one frame
}

// Answer implements model.API.
func (x *exchange) Answer(h *dialect.Head) {
	x.Billing.RequestID = string(h.Field("x-request-id"))
	if h.Status >= 400 {
		x.Refusal.Answer(h.Status)
	}
}

// ask records a new message of the user.
func (x *exchange) ask(content *fastjson.Value) {
	text, others := x.textOf(content)
	m := x.UserMessage(text)
	m.Attributes = dialect.Attribute("parts", others)
	x.AwaitID(m)
}

// textOf joins the texts of a content, which is a text or a list of parts. others lists the types
// of the other parts as a JSON array.
func (x *exchange) textOf(content *fastjson.Value) (text, others []byte) {
	if content == nil {
		return nil, nil
	}
	if content.Type() == fastjson.TypeString {
		return content.GetStringBytes(), nil
	}
	var kinds dialect.List
	x.buf = x.buf[:0]
	for _, part := range content.GetArray() {
		if part.Type() == fastjson.TypeString {
			x.buf = append(x.buf, part.GetStringBytes()...)
			continue
		}
		kind := part.GetStringBytes("type")
		switch string(kind) {
		case "", "text", "input_text", "output_text", "summary_text", "reasoning_text":
			x.buf = append(x.buf, part.GetStringBytes("text")...)
		case "refusal":
			x.buf = append(x.buf, part.GetStringBytes("refusal")...)
		default:
			kinds.AddText(kind)
		}
	}
	return x.buf, kinds.JSON()
}

// resultLimit bounds a result that is kept as JSON beside its texts, bytes, as images are long.
const resultLimit = 64 << 10

// resultText returns a tool's result as text, or raw, its JSON, if it has other content. For JSON
// that is too long it returns the texts, and lists the types of the other content, such as images,
// in parts, a JSON array.
func (x *exchange) resultText(content *fastjson.Value, raw []byte) (text []byte, media string, parts []byte) {
	if dialect.IsNull(content) {
		return nil, "text", nil
	}
	if t := content.Type(); t == fastjson.TypeString || t == fastjson.TypeArray {
		text, others := x.textOf(content)
		if len(others) == 0 && (t == fastjson.TypeString || len(text) > 0) || len(text) > 0 && len(raw) > resultLimit {
			return text, "text", others
		}
	}
	return raw, "json", nil
}

// errorOf returns the text of an error: {"error":{"message":…}}, with the error as a text, or with
// its members at the top. It returns nil if a frame has no error.
func errorOf(v *fastjson.Value) []byte {
	e := v.Get("error")
	switch {
	case dialect.IsNull(e):
		if isError(v) {
			return messageOf(v)
		}
		return nil
	case e.Type() == fastjson.TypeString:
		if text := e.GetStringBytes(); len(text) > 0 {
			return text
		}
		return nil
	case e.Type() == fastjson.TypeObject:
		return messageOf(e)
	}
	return e.MarshalTo(nil)
}

// isError reports whether a frame is an error with its members at the top.
func isError(v *fastjson.Value) bool {
	return string(v.GetStringBytes("object")) == "error" || string(v.GetStringBytes("type")) == "error"
}

// messageOf returns the text of an error: its message or content, else its code or type.
func messageOf(e *fastjson.Value) []byte {
	if text := e.GetStringBytes("content", "0", "text"); len(text) > 0 {
		return text
	}
	if text := dialect.FirstText(e, "message", "detail", "code", "type"); text != nil {
		return text
	}
	return e.MarshalTo(nil)
}

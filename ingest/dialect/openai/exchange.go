package openai

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// exchange is a conversation with what both APIs share: the HTTP exchange that
// a stream behind a proxy is.
type exchange struct {
	stream model.Stream
	model.Conversation
	foreign bool // the request went to another endpoint, and nothing here was ours so far
	status  int  // of an answer that is an error and whose body was not seen
	asked   []*dialect.Message
	buf     []byte // scratch of one frame
}

// mine reports whether a message is of the API. Gateways serve it at addresses
// of their own: there the answers say so.
func (x *exchange) mine(in *dialect.Input, match func(*dialect.Input) (dialect.Confidence, string)) bool {
	if x.foreign && in.Direction == schema.Receive {
		sure, _ := match(in)
		x.foreign = sure < dialect.Likely
	}
	return !x.foreign
}

// answerHead reads the head of an answer.
func (x *exchange) answerHead(h *dialect.Head) {
	if h.Status >= 400 {
		x.status = h.Status
	}
}

// ask tells a new message of the user.
func (x *exchange) ask(content *fastjson.Value) {
	text, others := x.textOf(content)
	m := x.UserMessage(text)
	if len(others) > 0 {
		var attrs dialect.Attributes
		attrs.AddRaw("parts", others)
		m.Attributes = attrs.Text()
	}
	x.keep(m)
}

// askedLimit bounds the messages of a request that wait for the run's id.
const askedLimit = 64

// keep notes a message of a request, to be given the run's id.
func (x *exchange) keep(m *dialect.Message) {
	if x.RunID == "" && len(x.asked) < askedLimit {
		x.asked = append(x.asked, m)
	}
}

// nameRun gives the run, and what was asked for it, the id of the response.
func (x *exchange) nameRun(id string) {
	x.NameRun(id)
	run := x.Run()
	for _, m := range x.asked {
		m.Run = id
		if run != nil && m.Kind == schema.MessageUser {
			m.Span = run.ID
		}
		x.Emitter.ChangedMessage(m, x.Frame)
	}
	if id != "" {
		x.asked = nil
	}
}

// textOf joins the texts of a content, which is a text or a list of parts, and
// lists the kinds of the parts that are none, as a JSON array.
func (x *exchange) textOf(content *fastjson.Value) (text, others []byte) {
	if content == nil {
		return nil, nil
	}
	if content.Type() == fastjson.TypeString {
		return content.GetStringBytes(), nil
	}
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
			if len(others) == 0 {
				others = append(others, '[')
			} else {
				others = append(others, ',')
			}
			others = strconv.AppendQuote(others, string(kind))
		}
	}
	if len(others) > 0 {
		others = append(others, ']')
	}
	return x.buf, others
}

// resultText is a tool's result as text, or, where it is more than that, as the
// JSON raw that it stands there as.
func (x *exchange) resultText(content *fastjson.Value, raw []byte) (text []byte, media string) {
	if dialect.IsNull(content) {
		return nil, "text"
	}
	if t := content.Type(); t == fastjson.TypeString || t == fastjson.TypeArray {
		if text, others := x.textOf(content); len(others) == 0 && (t == fastjson.TypeString || len(text) > 0) {
			return text, "text"
		}
	}
	return raw, "json"
}

// answered takes the model that an answer names, which is more exact than the
// one that was asked for. Without a provider it is that which the model's name
// tells.
func (x *exchange) answered(model []byte, provider string) {
	if len(model) == 0 || string(model) == x.Model && (provider == "" || provider == x.Provider) {
		return
	}
	x.SetModel(string(model), provider)
	for _, s := range []*dialect.Span{x.Run(), x.Call()} {
		if s == nil {
			continue
		}
		s.Model, s.Provider = x.Model, x.Provider
		if s.Kind == schema.SpanLLM {
			s.Name = x.Model
		}
		x.Emitter.ChangedSpan(s, x.Frame)
	}
}

// fail ends the run in an error and tells it.
func (x *exchange) fail(why []byte) {
	x.failing()
	x.Say(schema.MessageError, why)
	x.EndRun(schema.StatusError, why)
	x.status = 0
}

// failing begins a run where only its end was seen.
func (x *exchange) failing() {
	if x.Run() == nil {
		x.RunID, x.Model, x.Provider = "", "", ""
		x.OpenRun("").Started = 0
	}
}

// failBody ends the run in an error that a body tells which is none of the
// API's own: a page of a gateway.
func (x *exchange) failBody(body []byte) {
	x.failing()
	x.Say(schema.MessageError, body)
	x.failStatus()
}

// failStatus ends the run in an error of which only the status is known.
func (x *exchange) failStatus() {
	x.EndRun(schema.StatusError, strconv.AppendInt([]byte("HTTP "), int64(x.status), 10))
	x.status = 0
}

// errorOf gives the text of an error: {"error":{"message":…}}, with the error as
// a text, or with its members at the top. It is nil where a frame tells none.
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

// messageOf gives what an error says: its message or content, else its code or
// type.
func messageOf(e *fastjson.Value) []byte {
	if text := e.GetStringBytes("content", "0", "text"); len(text) > 0 {
		return text
	}
	if text := dialect.FirstText(e, "message", "detail", "code", "type"); text != nil {
		return text
	}
	return e.MarshalTo(nil)
}

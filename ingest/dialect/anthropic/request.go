package anthropic

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// endpoint is the endpoint of a request.
type endpoint int

const (
	unknownEndpoint  endpoint = iota // no head was recorded
	messagesEndpoint                 // creates a message
	countEndpoint                    // only counts tokens, without a call of a model
	otherEndpoint
)

func endpointOf(path []byte) endpoint {
	switch p := dialect.Alias(path); {
	case strings.HasSuffix(p, "/messages/count_tokens"), strings.HasSuffix(p, "/count-tokens:rawPredict"):
		return countEndpoint
	case strings.HasSuffix(p, "/messages"), strings.HasSuffix(p, ":streamRawPredict"), strings.HasSuffix(p, ":rawPredict"):
		return messagesEndpoint
	}
	return otherEndpoint
}

// request reads the body of a request.
func (d *decoder) request(in *dialect.Input) {
	switch d.endpoint {
	case countEndpoint:
		in.Type = "count_tokens"
		return
	case otherEndpoint:
		in.Type = "request"
		return
	}
	in.Type = "request"
	if !dialect.IsArray(in.JSON.Get("messages")) {
		d.Unknown()
		return
	}
	messages := in.JSON.GetArray("messages")
	t := &d.trace
	d.messages.GiveUp()
	t.Session = sessionOf(in.JSON.GetStringBytes("metadata", "user_id"))
	t.ForgetModel()
	t.RequestModel(in.JSON.GetStringBytes("model"))
	at := in.At
	if d.at != 0 {
		at = d.at
	}
	d.at = 0
	d.refusal.Answer(0)
	d.messages.Asked(at)
	t.Instruct(systemOf(dialect.RawMember(in.Data, "system")))
	t.Offer(model.ToolsOf(dialect.RawMember(in.Data, "tools"), "name"))
	dialect.Elements(messages, dialect.RawMember(in.Data, "messages"), dialect.NewSince(messages, dialect.IsAssistant, true), d.message)
}

// billingHeader begins a block that Claude Code sends before its system prompt. It differs from
// request to request.
var billingHeader = []byte("x-anthropic-billing-header:")

// systemOf returns the system prompt of a request: a text, or the texts of its blocks.
func systemOf(raw []byte) (text []byte) {
	if text, _ = dialect.Unquote(raw, nil); text != nil {
		return text
	}
	dialect.RawElements(raw, func(block []byte) bool {
		part := dialect.RawText(block, "text")
		if len(part) == 0 || bytes.HasPrefix(part, billingHeader) {
			return true
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, part...)
		return true
	})
	return text
}

// message reads a new message of a request: text of the user, and results of tools that the
// client executed.
func (d *decoder) message(_ int, v *fastjson.Value, raw []byte) {
	if dialect.IsAssistant(v) {
		return
	}
	kind := schema.MessageUser
	if string(v.GetStringBytes("role")) == "system" {
		kind = schema.MessageSystem
	}
	said := ReadSaid(dialect.RawMember(raw, "content"), v.Get("content"), d.toolResult)
	for _, reminder := range said.Reminders {
		d.trace.AwaitID(d.trace.Say(schema.MessageSystem, reminder))
	}
	if !said.Any {
		return
	}
	var message *dialect.Message
	if kind == schema.MessageUser {
		message = d.trace.UserMessage(said.Text)
	} else {
		message = d.trace.Say(kind, said.Text)
	}
	message.Attributes = said.Attributes
	d.trace.AwaitID(message)
}

// toolResult ends a call whose start may be in this stream or in another one of the session.
func (d *decoder) toolResult(raw []byte, v *fastjson.Value) {
	id := v.GetStringBytes("tool_use_id")
	if len(id) == 0 {
		return
	}
	text, media, parts := ResultText(dialect.RawMember(raw, "content"), v.Get("content"))
	status, why := ResultStatus(v, text)
	d.trace.ResultWithParts(id, text, media, parts, status, why)
}

// sessionOf returns the session in a request's user id. Claude Code names it there, as
// user_…_session_<uuid> or in JSON. It returns "" for other clients.
func sessionOf(user []byte) string {
	if len(user) > 0 && user[0] == '{' {
		if wellformed.JSON(user) {
			return string(dialect.RawText(user, "session_id"))
		}
		return ""
	}
	const mark = "session_"
	if i := bytes.LastIndex(user, []byte(mark)); i >= 0 && (i == 0 || user[i-1] == '_') {
		return string(user[i+len(mark):])
	}
	return ""
}

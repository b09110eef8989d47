package anthropic

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// endpoint is what a request is made to.
type endpoint int

const (
	unknownEndpoint  endpoint = iota // no head was seen
	messagesEndpoint                 // a message is asked for
	countEndpoint                    // only tokens are counted: no model is called
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
	if !isArray(in.JSON.Get("messages")) {
		d.Unknown()
		return
	}
	messages := in.JSON.GetArray("messages")
	t := &d.trace
	d.messages.GiveUp()
	t.Session = sessionOf(in.JSON.GetStringBytes("metadata", "user_id"))
	t.Model, t.Provider = "", ""
	if model := in.JSON.GetStringBytes("model"); len(model) > 0 {
		t.SetModel(string(model), "")
	}
	at := in.At
	if d.at != 0 {
		at = d.at
	}
	d.at, d.status = 0, 0
	d.messages.Asked(at)
	from, i := newFrom(messages), 0
	dialect.RawElements(dialect.RawMember(in.Data, "messages"), func(raw []byte) bool {
		if i >= from && i < len(messages) {
			d.message(raw, messages[i])
		}
		i++
		return true
	})
}

// newFrom gives the first message that no earlier request held: what stands
// after the model's last answer. A message of the model's at the end is the
// beginning of the one that it is to give.
func newFrom(messages []*fastjson.Value) int {
	i := len(messages) - 1
	if i >= 0 && isAssistant(messages[i]) {
		i--
	}
	for i >= 0 && !isAssistant(messages[i]) {
		i--
	}
	return i + 1
}

func isAssistant(m *fastjson.Value) bool { return string(m.GetStringBytes("role")) == "assistant" }

// message tells a new message of a request: what the user says, and the results
// of tools that the client executed.
func (d *decoder) message(raw []byte, v *fastjson.Value) {
	if isAssistant(v) {
		return
	}
	kind := schema.MessageUser
	if string(v.GetStringBytes("role")) == "system" {
		kind = schema.MessageSystem
	}
	said := ReadSaid(dialect.RawMember(raw, "content"), v.Get("content"), d.toolResult)
	for _, reminder := range said.Reminders {
		d.messages.keep(d.trace.Say(schema.MessageSystem, reminder))
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
	d.messages.keep(message)
}

// toolResult ends a call that this or another stream of the session saw begin.
func (d *decoder) toolResult(raw []byte, v *fastjson.Value) {
	id := v.GetStringBytes("tool_use_id")
	if len(id) == 0 {
		return
	}
	text, media := ResultText(dialect.RawMember(raw, "content"), v.Get("content"))
	status, why := ResultStatus(v, text)
	d.trace.ResultOf(id, nil, text, media, status, why)
}

// sessionOf finds the session in what a client says of its user: Claude Code
// names it there, as user_…_session_<uuid> or in JSON. It is "" for others.
func sessionOf(user []byte) string {
	if len(user) > 0 && user[0] == '{' {
		if wellformed.JSON(user) {
			session, _ := dialect.Unquote(dialect.RawMember(user, "session_id"), nil)
			return string(session)
		}
		return ""
	}
	const mark = "session_"
	if i := bytes.LastIndex(user, []byte(mark)); i >= 0 && (i == 0 || user[i-1] == '_') {
		return string(user[i+len(mark):])
	}
	return ""
}

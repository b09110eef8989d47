package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// request begins a response with what is asked for. Of the messages only those
// are told that follow the model's last: the others were told before.
func (d *chat) request(in *dialect.Input) {
	list := in.JSON.Get("messages")
	if !dialect.IsArray(list) {
		d.Unknown()
		return
	}
	d.Frame.Type = typeRequest
	d.leave()
	d.reset()
	d.OpenRun("")
	if model := in.JSON.GetStringBytes("model"); len(model) > 0 {
		d.SetModel(string(model), "")
	}
	messages := list.GetArray()
	first := dialect.NewSince(messages, isAssistant, false)
	dialect.Elements(messages, dialect.RawMember(in.Data, "messages"), first, d.told)
	d.OpenCall()
	d.last, d.single = d.Frame.At, d.Frame.Transport == schema.HTTP
}

// told reads a new message of a request.
func (d *chat) told(_ int, m *fastjson.Value, raw []byte) {
	content := m.Get("content")
	switch string(m.GetStringBytes("role")) {
	case "user":
		d.ask(content)
	case "tool":
		text, media := d.resultText(content, dialect.RawMember(raw, "content"))
		d.ResultOf(m.GetStringBytes("tool_call_id"), m.GetStringBytes("name"), text, media, schema.StatusOK, nil)
	case "function": // the old form, which does not say of which call
		text, media := d.resultText(content, dialect.RawMember(raw, "content"))
		result := d.Say(schema.MessageResult, text)
		result.Name, result.Media = string(m.GetStringBytes("name")), media
		d.keep(result)
	}
}

func isAssistant(m *fastjson.Value) bool { return string(m.GetStringBytes("role")) == "assistant" }

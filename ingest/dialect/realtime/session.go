package realtime

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// described reads the server's description of the session. A response in progress keeps its session
// and its model.
func (d *decoder) described(v *fastjson.Value) {
	s := v.Get("session")
	if id := s.GetStringBytes("id"); len(id) > 0 && d.Run() == nil {
		d.Session = d.session.Own(id)
	}
	if name := s.GetStringBytes("model"); len(name) > 0 && d.Run() == nil {
		d.SetModel(string(name), "")
	}
	name := s.GetStringBytes("audio", "input", "transcription", "model")
	if len(name) == 0 {
		name = s.GetStringBytes("input_audio_transcription", "model")
	}
	if len(name) > 0 {
		d.hearing = transcriber{string(name), dialect.ProviderOf(string(name))}
	}
}

// failed reads an error of the session, which continues after it.
func (d *decoder) failed(v *fastjson.Value) {
	why := v.GetStringBytes("error", "message")
	if len(why) == 0 {
		why = v.GetStringBytes("error", "code")
	}
	m := d.Say(schema.MessageError, why)
	if code := v.GetStringBytes("error", "code"); len(code) > 0 {
		m.Attributes = dialect.TextAttribute("code", string(code))
	}
	if d.Run() == nil {
		d.asked = 0 // the requested response will not come
	}
}

// responseAsked reads response.create: the next response begins with it.
func (d *decoder) responseAsked(*fastjson.Value) { d.asked = d.Frame.At }

// Bounds of the items that are kept.
const (
	saidLimit  = 32
	itemsLimit = 64
)

// itemSent reads an item that the client adds to the conversation.
func (d *decoder) itemSent(v *fastjson.Value) {
	item := v.Get("item")
	if text := userText(item); len(text) > 0 {
		d.said.Add(text, saidLimit)
		d.ask(text)
	}
	d.result(item)
}

// itemRepeated reads an item that the server reports to be in the conversation. It records items
// of the client, also in streams without the client's events. The model's output comes with its
// response.
func (d *decoder) itemRepeated(v *fastjson.Value) {
	item := v.Get("item")
	if d.echoed.Note(item.GetStringBytes("id"), itemsLimit) {
		return
	}
	if text := userText(item); len(text) > 0 && !d.said.Has(text) {
		d.ask(text)
	}
	d.result(item)
}

// ask records text of the user. It belongs to the response in progress or to the next one.
func (d *decoder) ask(text []byte) {
	d.next()
	d.AwaitID(d.UserMessage(text))
}

// next forgets the response that has ended: later events belong to the next one.
func (d *decoder) next() {
	if d.Run() == nil && d.RunID != "" {
		d.ForgetRun()
	}
}

// result reads the output of a function, which the client executed, and its refusal of a call of an
// MCP tool.
func (d *decoder) result(item *fastjson.Value) {
	switch string(item.GetStringBytes("type")) {
	case "function_call_output":
		d.ResultOf(item.GetStringBytes("call_id"), nil, item.GetStringBytes("output"), "text", schema.StatusOK, nil)
	case "mcp_approval_response":
		if a := item.Get("approve"); a != nil && a.Type() == fastjson.TypeFalse {
			d.ResultOf(item.GetStringBytes("approval_request_id"), nil, nil, "text", schema.StatusRejected, item.GetStringBytes("reason"))
		}
	}
}

// userText joins the texts of a user's message.
func userText(item *fastjson.Value) (text []byte) {
	if string(item.GetStringBytes("role")) != "user" {
		return nil
	}
	for _, part := range item.GetArray("content") {
		if string(part.GetStringBytes("type")) == "input_text" {
			text = append(text, part.GetStringBytes("text")...)
		}
	}
	return text
}

// heard reads a piece of the transcript of the user's speech.
func (d *decoder) heard(v *fastjson.Value) {
	id := v.GetStringBytes("item_id")
	d.hearingOf(id)
	d.Append(schema.MessageUser, id, v.GetStringBytes("delta"))
}

// heardSoFar reads the transcript so far, which replaces the previous one.
func (d *decoder) heardSoFar(v *fastjson.Value) {
	if text := v.GetStringBytes("transcript"); len(text) > 0 {
		d.Emitter.SetText(d.hearingOf(v.GetStringBytes("item_id")), text, d.Frame)
	}
}

// hearingOf begins the message of a spoken item if there is none.
func (d *decoder) hearingOf(id []byte) *dialect.Message {
	m := d.Growing(schema.MessageUser, id)
	if m == nil {
		d.next()
		m = d.BeginText(schema.MessageUser, id)
		m.Attributes = spoken
		d.AwaitID(m)
	}
	return m
}

// heardAll reads the whole transcript of a spoken item, and its usage: tokens, or a duration,
// which is not counted.
func (d *decoder) heardAll(v *fastjson.Value) {
	id := v.GetStringBytes("item_id")
	if text := v.GetStringBytes("transcript"); len(text) > 0 {
		m := d.hearingOf(id)
		if string(m.TextSoFar()) != string(text) {
			d.Emitter.SetText(m, text, d.Frame)
		}
		d.Emitter.SetTitle(d.Session, text)
	}
	d.Complete(schema.MessageUser, id)
	raw := v.Get("usage")
	if !dialect.IsObject(raw) {
		return
	}
	if u := d.Count(nil, &transcription, shared(id), nil, raw.MarshalTo(nil)); u != nil {
		u.Model, u.Provider, u.RequestedModel, u.MessageID = d.hearing.model, d.hearing.provider, "", ""
	}
}

package realtime

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// described reads what the server says of the session.
func (d *decoder) described(v *fastjson.Value) {
	s := v.Get("session")
	if id := s.GetStringBytes("id"); len(id) > 0 {
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

// failed reads an error of the session, after which it goes on.
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
		d.asked = 0 // nothing came of what was asked for
	}
}

// responseAsked reads response.create: the next response begins with it.
func (d *decoder) responseAsked(*fastjson.Value) { d.asked = d.Frame.At }

// bounds of what is remembered of items.
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

// itemRepeated reads an item as the server says that it is in the conversation:
// those that the client sent, in streams where that was not seen as well. What
// the model says comes with its response.
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

// ask records what the user writes. It belongs to the response in progress or to
// the next.
func (d *decoder) ask(text []byte) {
	d.next()
	d.AwaitID(d.UserMessage(text))
}

// next leaves the response that has ended: what comes now belongs to the next.
func (d *decoder) next() {
	if d.Run() == nil && d.RunID != "" {
		d.ForgetRun()
	}
}

// result reads the output of a function, which the client executed.
func (d *decoder) result(item *fastjson.Value) {
	if string(item.GetStringBytes("type")) == "function_call_output" {
		d.ResultOf(item.GetStringBytes("call_id"), nil, item.GetStringBytes("output"), "text", schema.StatusOK, nil)
	}
}

// userText joins what a user's message says in writing.
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

// heard reads a piece of what the user says, as another model writes it down.
func (d *decoder) heard(v *fastjson.Value) {
	id := v.GetStringBytes("item_id")
	d.hearingOf(id)
	d.Append(schema.MessageUser, id, v.GetStringBytes("delta"))
}

// hearingOf begins the message of a spoken item where there is none.
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

// heardAll reads all that the user said in an item, and what it cost to write
// it down: tokens, or a time, which is not counted.
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

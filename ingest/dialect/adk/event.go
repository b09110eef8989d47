package adk

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/gemini/content"
	"tapedeck/schema"
)

// event reads an event: a piece of an answer ("partial") or a whole event.
func (d *decoder) event(in *dialect.Input, v *fastjson.Value, raw []byte) {
	in.EventID, in.Type = string(v.GetStringBytes("id")), "event"
	author := v.GetStringBytes("author")
	if d.tr.Agent = d.author.Own(author); string(author) == "user" {
		d.tr.Agent = ""
	}
	hash := xxhash.Sum64(raw)
	if d.seen.HasHash(hash) {
		return // delivered again
	}
	d.seen.AddHash(hash, seenLimit)
	d.turnTo(v.GetStringBytes("invocationId"))
	partial := v.GetBool("partial")
	d.whole, d.at = !partial, in.At
	if len(v.GetStringBytes("modelVersion")) > 0 {
		d.tr.SetModel(string(v.GetStringBytes("modelVersion")), "")
	}
	usage := dialect.RawMember(raw, "usageMetadata")
	if string(author) != "user" && v.Get("content", "parts", "0", "functionResponse") == nil && (string(v.GetStringBytes("content", "role")) == "model" || usage != nil) {
		d.tr.InCall()
	}
	d.parts(v, raw, partial, string(author) == "user")
	if usage != nil {
		d.usage = d.tr.Count(d.usage, &content.Counting, "", d.tr.Call(), usage)
		if d.usage != nil {
			d.usage.Parts = content.Parts(usage)
		}
	}
	if why := dialect.FirstText(v, "errorMessage", "errorCode"); why != nil {
		d.fail(why)
	} else if !partial {
		d.tr.EndCall(schema.StatusOK)
		d.usage = nil
	}
}

// turnTo makes an invocation the run in progress. A run that began with its request takes the
// invocation's id.
func (d *decoder) turnTo(id []byte) {
	d.asks()
	switch {
	case d.asked && d.tr.Run() != nil:
		d.tr.NameRun(d.id.Own(id))
	case d.tr.Run() == nil || string(id) != d.tr.RunID:
		d.finish()
		d.usage = nil
		d.tr.RunID = d.id.Own(id)
		d.tr.OpenRun("")
	}
	d.asked = false
}

// seenLimit bounds the events that are recognised when they are delivered again.
const seenLimit = 64

// parts reads the parts of an event's content. A whole event repeats the text of its pieces, and
// replaces it.
func (d *decoder) parts(event *fastjson.Value, raw []byte, partial, user bool) {
	texts := map[schema.MessageKind][]byte{}
	dialect.Elements(event.GetArray("content", "parts"), dialect.RawPath(raw, "content.parts"), 0, func(_ int, part *fastjson.Value, raw []byte) {
		switch {
		case part.Get("text") != nil:
			kind := schema.MessageAssistant
			if user {
				kind = schema.MessageUser
			} else if part.GetBool("thought") {
				kind = schema.MessageThinking
			}
			texts[kind] = append(texts[kind], part.GetStringBytes("text")...)
		case part.Get("functionCall") != nil:
			if !partial { // a partial call may have another id
				d.functionCall(event, part.Get("functionCall"), dialect.RawMember(raw, "functionCall"))
			}
		case part.Get("functionResponse") != nil:
			content.Respond(&d.tr, part.Get("functionResponse"), dialect.RawMember(raw, "functionResponse"))
		}
	})
	for _, kind := range [...]schema.MessageKind{schema.MessageUser, schema.MessageThinking, schema.MessageAssistant} {
		if text := texts[kind]; len(text) > 0 {
			d.say(kind, text, partial)
		}
	}
	if !partial {
		d.tr.CompleteAll()
	}
}

func (d *decoder) say(kind schema.MessageKind, text []byte, partial bool) {
	growing := d.tr.Growing(kind, nil)
	switch {
	case kind == schema.MessageUser:
		d.tr.UserMessage(text)
	case partial:
		d.tr.Append(kind, nil, text)
	case growing != nil:
		d.Emitter.SetText(growing, text, d.Frame)
	default:
		d.tr.Say(kind, text)
	}
}

// functionCall reads {"id","name","args"}. The agent executes the call, unless it is among the
// event's longRunningToolIds: then it waits.
func (d *decoder) functionCall(event, v *fastjson.Value, raw []byte) {
	id := v.GetStringBytes("id")
	tool := d.tr.Tool(id, v.GetStringBytes("name"))
	d.tr.SetArguments(tool, dialect.RawMember(raw, "args"))
	d.tr.Start(tool)
	for _, waiting := range event.GetArray("longRunningToolIds") {
		if text, _ := waiting.StringBytes(); len(text) > 0 && string(text) == string(id) {
			d.tr.Wait(tool)
		}
	}
}

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
	d.goOn(v, author, usage)
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
	switch why := dialect.FirstText(v, "errorMessage", "errorCode"); {
	case why != nil && !finished[string(why)]:
		d.fail(why)
	case !partial:
		if call := d.tr.Call(); call != nil && string(why) == maxTokens {
			call.Attributes = dialect.TextAttribute("stop_reason", maxTokens)
		}
		d.answered = answered{d.tr.Call(), d.usage, xxhash.Sum64(usage), d.tr.Agent}
		d.tr.EndCall(schema.StatusOK)
		d.usage = nil
	}
}

const maxTokens = "MAX_TOKENS"

// finished are finish reasons that are no errors. Versions of google-adk up to 1.13 state the finish
// reason of an answer's last event as its errorCode if the event has no parts.
var finished = map[string]bool{"STOP": true, maxTokens: true}

// answered is an answer whose whole event has come.
type answered struct {
	call  *dialect.Span // nil if there is none
	usage *dialect.Usage
	hash  uint64 // of the usage as it was stated
	agent string
}

// goOn continues the latest answer if a whole event states the same usage again. Between the pieces of an
// answer and its last event, google-adk's streaming sends a whole event with the text of the pieces and the
// usage of that last event.
func (d *decoder) goOn(v *fastjson.Value, author, usage []byte) {
	last := d.answered
	d.answered = answered{}
	if last.call == nil || v.GetBool("partial") || v.Get("content", "parts", "0", "functionResponse") != nil {
		return
	}
	if usage == nil || last.usage == nil || last.agent != string(author) || last.hash != xxhash.Sum64(usage) || d.tr.Call() != nil {
		return
	}
	d.tr.Resume(last.call)
	d.usage = last.usage
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

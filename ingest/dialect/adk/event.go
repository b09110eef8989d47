package adk

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is that of the Gemini API: the input includes what came from the cache, the
// output does not include thoughts.
var counting = dialect.Counting{
	Input: "promptTokenCount+toolUsePromptTokenCount", CacheRead: "cachedContentTokenCount",
	Output: "candidatesTokenCount|responseTokenCount", Reasoning: "thoughtsTokenCount",
	Total: "totalTokenCount", InputHoldsCache: true, Mode: schema.UsageAdd,
}

// event reads an event: a piece of an answer ("partial"), or something whole.
func (d *decoder) event(in *dialect.Input) {
	v := in.JSON
	in.EventID, in.Type = string(v.GetStringBytes("id")), "event"
	author := v.GetStringBytes("author")
	if d.tr.Agent = d.author.Own(author); string(author) == "user" {
		d.tr.Agent = ""
	}
	hash := xxhash.Sum64(in.Data)
	if d.seen.HasHash(hash) {
		return // delivered again
	}
	d.seen.AddHash(hash, seenLimit)
	if id := v.GetStringBytes("invocationId"); d.tr.Run() == nil || string(id) != d.tr.RunID {
		d.finish()
		d.usage = nil
		d.tr.RunID = d.id.Own(id)
		d.tr.OpenRun("")
	}
	partial := v.GetBool("partial")
	d.whole, d.at = !partial, in.At
	if len(v.GetStringBytes("modelVersion")) > 0 {
		d.tr.SetModel(string(v.GetStringBytes("modelVersion")), "")
	}
	usage := dialect.RawMember(in.Data, "usageMetadata")
	if string(author) != "user" && v.Get("content", "parts", "0", "functionResponse") == nil && (string(v.GetStringBytes("content", "role")) == "model" || usage != nil) {
		d.tr.InCall()
	}
	d.parts(in, partial, string(author) == "user")
	if usage != nil {
		d.usage = d.tr.Count(d.usage, &counting, "", d.tr.Call(), usage)
	}
	if why := dialect.FirstText(v, "errorMessage", "errorCode"); why != nil {
		d.fail(why)
	} else if !partial {
		d.tr.EndCall(schema.StatusOK)
		d.usage = nil
	}
}

// seenLimit bounds the events that are known when they are delivered again.
const seenLimit = 64

// parts reads the parts of an event's content. The whole event repeats the text of its
// pieces, which replaces it.
func (d *decoder) parts(in *dialect.Input, partial, user bool) {
	texts := map[schema.MessageKind][]byte{}
	raw := dialect.RawPath(in.Data, "content.parts")
	dialect.Elements(in.JSON.GetArray("content", "parts"), raw, 0, func(_ int, part *fastjson.Value, raw []byte) {
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
			if !partial { // its id may be another in a piece
				d.functionCall(in.JSON, part.Get("functionCall"), dialect.RawMember(raw, "functionCall"))
			}
		case part.Get("functionResponse") != nil:
			d.functionResponse(part.Get("functionResponse"), dialect.RawMember(raw, "functionResponse"))
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

// functionCall reads {"id","name","args"}. The agent executes it, unless it is among the
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

// functionResponse reads {"id","name","response"}.
func (d *decoder) functionResponse(v *fastjson.Value, raw []byte) {
	status, why := schema.StatusOK, v.GetStringBytes("response", "error")
	if !dialect.IsNull(v.Get("response", "error")) {
		status = schema.StatusError
		if why == nil {
			why = dialect.RawPath(raw, "response.error")
		}
	}
	d.tr.ResultOf(v.GetStringBytes("id"), v.GetStringBytes("name"), dialect.RawMember(raw, "response"), "json", status, why)
}

// Package geminilive reads Google's Live API: speech and text to and from a model over a WebSocket.
// docs/dialects/gemini-live.md describes how it reads it.
package geminilive

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/gemini/content"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Live API of the Gemini API and of Vertex AI.
var Dialect = dialect.Dialect{Name: "gemini-live", Match: match, Ends: ends, New: newDecoder}

// provider serves every model of this API.
const provider = "google"

// decoder reads one stream, which is one session. Messages name neither themselves nor their turn.
type decoder struct {
	model.Stream
	model.Conversation
	call    *dialect.Span  // the latest call of the model
	usage   *dialect.Usage // of the generation in progress
	prompt  uint64         // the input that it states
	counted string         // the latest usage as it was stated
	silent  bool           // the model has said nothing since the end of a turn
	session dialect.Last
	code    *model.Tool // code that the API executes
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Conversation.Stream, d.Provider = &d.Stream, provider
	return d
}

// ends reports whether a message is the last one of a turn.
func ends(in *dialect.Input) bool { return in.JSON.GetBool("serverContent", "turnComplete") }

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if !dialect.IsObject(in.JSON) {
		return
	}
	d.Begin(in, b)
	defer d.Done()
	members, ok := dialect.MembersOf(in.Data)
	known := false
	for ok {
		var name, raw []byte
		if name, raw, ok = members.Next(); !ok {
			break
		}
		typ, is := messages.Of(name)
		if known = known || is; !is {
			continue
		}
		if in.Type == "" || in.Type == usageMetadata {
			in.Type = typ.Name
		}
		if typ.Handle != nil && typ.Name != usageMetadata {
			typ.Handle(d, in.JSON.Get(typ.Name), raw)
		}
	}
	if usage := dialect.RawMember(in.Data, usageMetadata); usage != nil {
		d.count(usage)
	}
	if ends(in) {
		d.turnComplete(in.JSON.Get("serverContent"))
	}
	if !known {
		d.Unknown()
	}
	d.Address()
}

const usageMetadata = "usageMetadata"

// messages maps the members of messages, of which mostly there is one, to handlers.
var messages = dialect.NewTypes(map[string]func(*decoder, *fastjson.Value, []byte){
	"setup":         (*decoder).setup,
	"clientContent": (*decoder).clientContent,
	"realtimeInput": (*decoder).realtimeInput,
	"toolResponse":  (*decoder).toolResponse,

	"setupComplete":                (*decoder).setupComplete,
	"serverContent":                (*decoder).serverContent,
	"toolCall":                     (*decoder).toolCall,
	"toolCallCancellation":         (*decoder).toolCallCancellation,
	usageMetadata:                  nil,
	"goAway":                       nil,
	"sessionResumptionUpdate":      nil,
	"voiceActivity":                nil,
	"voiceActivityDetectionSignal": nil,
})

// setup reads the client's first message.
func (d *decoder) setup(v *fastjson.Value, raw []byte) {
	if name := v.GetStringBytes("model"); len(name) > 0 {
		d.SetModel(string(name[bytes.LastIndexByte(name, '/')+1:]), provider)
		d.Billing.RequestedModel = d.Model
	}
	d.Instruct(dialect.RawWords(dialect.RawPath(raw, "systemInstruction.parts")))
	d.Offer(content.Offered(raw))
}

func (d *decoder) setupComplete(v *fastjson.Value, _ []byte) {
	if id := v.GetStringBytes("sessionId"); len(id) > 0 {
		d.Session = d.session.Own(id)
	}
}

// clientContent reads turns of the conversation that the client adds.
func (d *decoder) clientContent(v *fastjson.Value, raw []byte) {
	dialect.Elements(v.GetArray("turns"), dialect.RawMember(raw, "turns"), 0, func(_ int, turn *fastjson.Value, raw []byte) {
		if string(turn.GetStringBytes("role")) != "model" {
			d.InRun()
			content.Ask(&d.Conversation, turn, raw)
		}
	})
}

// realtimeInput reads audio, video or text of the user. Only text is a message.
func (d *decoder) realtimeInput(v *fastjson.Value, _ []byte) {
	if text := v.GetStringBytes("text"); len(text) > 0 {
		d.InRun()
		d.UserMessage(text)
	}
}

// toolResponse reads results of functions, which the client executed.
func (d *decoder) toolResponse(v *fastjson.Value, raw []byte) {
	dialect.Elements(v.GetArray("functionResponses"), dialect.RawMember(raw, "functionResponses"), 0,
		func(_ int, one *fastjson.Value, raw []byte) { content.Respond(&d.Conversation, one, raw) })
	d.usage = nil // the model is called again
}

// toolCall reads calls of functions, which the client executes.
func (d *decoder) toolCall(v *fastjson.Value, raw []byte) {
	dialect.Elements(v.GetArray("functionCalls"), dialect.RawMember(raw, "functionCalls"), 0,
		func(_ int, one *fastjson.Value, raw []byte) { d.functionCall(one, raw) })
}

func (d *decoder) functionCall(v *fastjson.Value, raw []byte) {
	d.inCall()
	tool := d.Tool(v.GetStringBytes("id"), v.GetStringBytes("name"))
	d.SetArguments(tool, dialect.RawMember(raw, "args"))
	d.Start(tool)
	d.Wait(tool)
}

func (d *decoder) toolCallCancellation(v *fastjson.Value, _ []byte) {
	for _, id := range v.GetArray("ids") {
		if tool := d.OpenTool(id.GetStringBytes()); tool != nil {
			d.EndTool(tool, schema.StatusCancelled, nil)
		}
	}
}

// inCall begins a turn with a call of the model if none is in progress.
func (d *decoder) inCall() { d.call, d.silent = d.InCall(), false }

// count reads the usage of one generation, not of the session. A turn in which functions were
// called has several generations, whose usages add up. A greater usage for the same prompt belongs
// to the same generation.
func (d *decoder) count(raw []byte) {
	tokens, _, ok := content.Counting.Read(raw)
	if !ok || d.silent && d.counted == string(raw) {
		return // it counts nothing, or repeats the usage of the turn that has ended
	}
	d.counted = string(raw)
	prompt := tokens.Input + tokens.CacheRead
	if d.usage != nil && d.prompt == prompt && tokens.Sum() >= d.usage.Tokens.Sum() {
		d.UpdateUsage(d.usage, &content.Counting, raw)
	} else {
		d.usage, d.prompt = d.CountHere(&content.Counting, d.call, raw), prompt
	}
	if d.usage != nil {
		d.usage.Parts = content.Parts(raw)
	}
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.Abandon()
	d.Done()
}

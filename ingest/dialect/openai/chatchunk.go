package openai

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// answer reads a message of the server: a chunk, a whole answer, or an error.
func (d *chat) answer(in *dialect.Input) {
	v := in.JSON
	why := errorOf(v)
	if v.Type() != fastjson.TypeObject {
		d.Unknown()
		return
	}
	object := v.GetStringBytes("object")
	choices := v.Get("choices")
	listed := choices != nil && choices.Type() == fastjson.TypeArray
	whole := string(object) == typeAnswer && !slices.ContainsFunc(choices.GetArray(), isPart)
	switch {
	case string(object) == typeAnswer:
		d.Frame.Type = typeAnswer
	case string(object) == typeText, string(object) == typeTexts:
		d.Frame.Type, whole = typeText, in.Transport == schema.HTTP
	case isWholeText(v):
		d.Frame.Type, whole = typeText, true
	case string(object) == typeChunk, listed:
		d.Frame.Type = typeChunk // some servers leave it out
	case why != nil || d.Refusal.Refused():
		d.Frame.Type = typeError
	default:
		d.Frame.Type = dialect.Intern(object)
		d.Unknown()
		return
	}
	if listed || why == nil && !d.Refusal.Refused() {
		d.chunk(in, v, choices, whole)
	}
	if why == nil && d.Refusal.Refused() {
		why = messageOf(v)
	}
	if why != nil {
		d.Fail(why, why)
		d.forget()
	}
}

// isPart reports whether a choice is a piece of a stream, also if the server calls it a whole
// answer (Perplexity).
func isPart(choice *fastjson.Value) bool {
	return dialect.IsObject(choice.Get("delta")) && !ends(choice)
}

// isWholeText reports whether a frame is a whole answer of the older API without the API's object
// and reasons to finish (Writer).
func isWholeText(v *fastjson.Value) bool {
	c := v.Get("choices", "0")
	return v.Get("object") == nil && v.Get("model") != nil && c.GetStringBytes("text") != nil && c.Get("finish_reason") == nil
}

// chunk reads a chunk, or a whole answer, which is one chunk and the end.
func (d *chat) chunk(in *dialect.Input, v, list *fastjson.Value, whole bool) {
	id := v.GetStringBytes("id")
	choices := list.GetArray()
	if d.repeats(in.Data, id, choices) {
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
		return
	}
	d.turnTo(id, v, choices)
	if d.finished() && d.final == xxhash.Sum64(in.Data) {
		return // the last chunk again
	}
	if d.Run() == nil {
		if d.isLate(id, choices) {
			d.count(in, v)
			return
		}
		d.begin()
	}
	if len(id) > 0 && d.RunID == "" {
		d.NameRun(d.id.Own(id))
	}
	d.last = d.Frame.At
	if tier := v.GetStringBytes("service_tier"); len(tier) > 0 {
		d.Billing.ServiceTier = dialect.StatedText(tier)
	}
	if d.Call() == nil {
		d.OpenCall()
	}
	provider := ""
	switch {
	case v.Get("x_groq") != nil:
		provider = "groq"
	case d.Provider == "": // a router states the provider
		provider = strings.ToLower(string(v.GetStringBytes("provider")))
	}
	d.CorrectModel(v.GetStringBytes("model"), provider, d.Run(), d.Call())
	for i, c := range choices {
		if c.Type() == fastjson.TypeObject {
			d.choice(c, i, whole)
		}
	}
	d.count(in, v)
	if whole {
		d.finishAll()
	}
	if d.finished() {
		d.final = xxhash.Sum64(in.Data)
	}
}

// repeats reports whether a chunk repeats one of a response that has finished. A chunk without an
// id that names a role begins another response.
func (d *chat) repeats(chunk, id []byte, choices []*fastjson.Value) bool {
	open := d.Run() != nil && !d.finished() ||
		slices.ContainsFunc(d.others, func(o parked) bool { return o.Run() != nil && !o.finished() })
	if len(id) >= distinct {
		return d.tail.AgainNamed(chunk, open)
	}
	again := d.tail.Again(chunk, open)
	return again && (len(id) > 0 || len(choices) == 0 || !names(choices[0]))
}

// isLate reports whether a chunk belongs to the response that ended last: its usage, or its end
// delivered again. Ids that may be used again, and roles, begin another response.
func (d *chat) isLate(id []byte, choices []*fastjson.Value) bool {
	if len(id) == 0 || string(id) != d.RunID && string(id) != string(d.id) {
		return false
	}
	return len(choices) == 0 || len(id) >= distinct && choices[0].Get("delta") != nil && len(choices[0].GetStringBytes("delta", "role")) == 0
}

// choice is one of the concurrent answers of a response.
type choice struct {
	index    int
	finished bool
	slots    []slot
}

// choiceLimit bounds the choices of a response.
const choiceLimit = 128

// choiceOf returns the choice with an index. It is valid until the next call.
func (d *chat) choiceOf(index int) *choice {
	for i := range d.choices {
		if d.choices[i].index == index {
			return &d.choices[i]
		}
	}
	if len(d.choices) >= choiceLimit {
		return nil
	}
	d.choices = append(d.choices, choice{index: index})
	return &d.choices[len(d.choices)-1]
}

func (d *chat) choice(v *fastjson.Value, place int, whole bool) {
	index := place
	if i := v.Get("index"); i != nil && i.Type() == fastjson.TypeNumber {
		index = i.GetInt()
	}
	c := d.choiceOf(index)
	if c == nil {
		return
	}
	delta, message := v.Get("delta"), v.Get("message")
	switch text := v.GetStringBytes("text"); {
	case dialect.IsObject(delta) && dialect.IsObject(message):
		d.both(c, delta, message, whole)
	case dialect.IsObject(delta) && (len(text) == 0 || saysIn(v, "delta")):
		d.delta(c, delta, whole)
	case dialect.IsObject(message):
		d.delta(c, message, whole)
	default:
		d.say(c, schema.MessageAssistant, 'c', text) // the older API
	}
	if reason := v.GetStringBytes("finish_reason"); len(reason) > 0 {
		d.finish(c, reason)
	}
}

// both reads a choice with a piece and the whole answer so far (Perplexity). The piece counts; if
// it is empty, the whole answer does.
func (d *chat) both(c *choice, delta, message *fastjson.Value, whole bool) {
	if saysOf(delta) || !saysOf(message) {
		d.delta(c, delta, whole)
		return
	}
	text := message.GetStringBytes("content")
	if m := d.Growing(schema.MessageAssistant, d.textKey(c, 'c')); m != nil && len(text) > 0 {
		d.Emitter.SetText(m, text, d.Frame)
		return
	}
	d.delta(c, message, whole)
}

// delta reads the delta of a choice.
func (d *chat) delta(c *choice, v *fastjson.Value, whole bool) {
	reasoning := v.GetStringBytes("reasoning_content")
	if len(reasoning) == 0 {
		reasoning = v.GetStringBytes("reasoning") // some servers use both names
	}
	d.say(c, schema.MessageThinking, 't', reasoning)
	if content := v.Get("content"); content != nil {
		d.content(c, content)
	}
	d.say(c, schema.MessageAssistant, 'r', v.GetStringBytes("refusal"))
	d.say(c, schema.MessageAssistant, 'a', v.GetStringBytes("audio", "transcript"))
	if calls := v.GetArray("tool_calls"); len(calls) > 0 {
		d.Complete(schema.MessageThinking, d.textKey(c, 't'))
		for i, call := range calls {
			d.toolCall(c, call, i, whole)
		}
	}
	if call := v.Get("function_call"); call != nil && call.Type() == fastjson.TypeObject {
		d.functionCall(c, call)
	}
}

// content reads a text, or a list of texts and thoughts.
func (d *chat) content(c *choice, v *fastjson.Value) {
	if v.Type() != fastjson.TypeArray {
		d.say(c, schema.MessageAssistant, 'c', v.GetStringBytes())
		return
	}
	for _, part := range v.GetArray() {
		if thinking := part.Get("thinking"); thinking != nil {
			text, _ := d.textOf(thinking)
			d.say(c, schema.MessageThinking, 't', text)
			continue
		}
		d.say(c, schema.MessageAssistant, 'c', part.GetStringBytes("text"))
	}
}

// say adds to a text of a choice. Thinking is complete once other text follows.
func (d *chat) say(c *choice, kind schema.MessageKind, what byte, text []byte) {
	if len(text) == 0 {
		return
	}
	if kind == schema.MessageAssistant {
		d.Complete(schema.MessageThinking, d.textKey(c, 't'))
	}
	key := d.textKey(c, what)
	if d.Growing(kind, key) == nil {
		m := d.BeginText(kind, key)
		var attrs dialect.Attributes
		if c.index != 0 {
			attrs.AddRaw("choice", key[1:])
		}
		if what == 'r' {
			attrs.AddRaw("refusal", []byte("true"))
		}
		m.Attributes = attrs.Text()
	}
	d.Append(kind, key, text)
}

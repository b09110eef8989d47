package cohere

import (
	"bytes"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// messageStart begins a message. Another in progress has no end.
func (d *decoder) messageStart(in *dialect.Input) {
	if d.Run() != nil && d.begun {
		d.Leave()
		d.cut++
	}
	d.answered()
	d.name(in.JSON.GetStringBytes("id"))
}

// delta is the member of an event that says what is new.
func delta(in *dialect.Input, name string) (v *fastjson.Value, raw []byte) {
	return in.JSON.Get("delta", "message", name), dialect.RawPath(in.Data, "delta.message."+name)
}

// content reads the beginning or a piece of a content: text, or thinking.
func (d *decoder) content(in *dialect.Input) {
	d.answered()
	v, _ := delta(in, "content")
	kind, chunk := schema.MessageAssistant, v.GetStringBytes("text")
	if thinking := v.GetStringBytes("thinking"); thinking != nil {
		kind, chunk = schema.MessageThinking, thinking
	}
	if len(chunk) > 0 {
		d.Append(kind, d.keyOf(in), chunk)
	}
}

// keyOf names a content among the growing messages.
func (d *decoder) keyOf(in *dialect.Input) []byte {
	d.key = strconv.AppendInt(append(d.key[:0], 'c'), in.JSON.GetInt64("index"), 10)
	return d.key
}

func (d *decoder) contentEnd(in *dialect.Input) {
	for _, kind := range []schema.MessageKind{schema.MessageAssistant, schema.MessageThinking} {
		d.Complete(kind, d.keyOf(in))
	}
	d.citations = nil
}

// toolPlan reads what the model thinks about the tools that it is going to call.
func (d *decoder) toolPlan(in *dialect.Input) {
	d.answered()
	if chunk := in.JSON.GetStringBytes("delta", "message", "tool_plan"); len(chunk) > 0 {
		d.Append(schema.MessageThinking, planKey, chunk)
	}
}

var planKey = []byte("plan")

// citationLimit bounds what is kept of a text's citations, bytes.
const citationLimit = 64 << 10

// citation keeps a citation with the text that it stands in.
func (d *decoder) citation(in *dialect.Input) {
	_, raw := delta(in, "citations")
	m := d.Growing(schema.MessageAssistant, d.keyOf(in))
	for i := int64(0); m == nil && i < 8; i++ { // its index counts citations
		m = d.Growing(schema.MessageAssistant, strconv.AppendInt([]byte("c"), i, 10))
	}
	if m == nil || dialect.RawNull(raw) || len(d.citations)+len(raw) > citationLimit {
		return
	}
	d.citations.Add(raw)
	m.Attributes = dialect.Attribute("citations", d.citations.JSON())
	d.Emitter.ChangedMessage(m, d.Frame)
}

// messageEnd ends a message, with its usage.
func (d *decoder) messageEnd(in *dialect.Input) {
	if d.Run() == nil {
		d.mixed, d.rest = d.rest, false
		if d.mixed {
			d.ForgetRun()
		}
		d.RunAtEnd()
	}
	v := in.JSON.Get("delta")
	d.finish(v.GetStringBytes("finish_reason"), v.GetStringBytes("error"), dialect.RawPath(in.Data, "delta.usage"))
	d.ended = true
}

// finish ends the run with its usage, as its finish_reason has it.
func (d *decoder) finish(reason, why, usage []byte) {
	if d.RunID != "" {
		d.Count(nil, countingOf(usage), provider+":"+d.RunID, d.Call(), usage)
	} else {
		d.CountHere(countingOf(usage), d.Call(), usage)
	}
	run, call := d.Run(), d.Call()
	if len(reason) > 0 {
		run.Attributes = dialect.TextAttribute("stop_reason", string(reason))
		if call != nil {
			call.Attributes = run.Attributes
		}
	}
	if d.mixed {
		d.mark(run)
	}
	d.latest = run
	status := schema.StatusOK
	if bytes.HasPrefix(reason, []byte("ERROR")) || string(reason) == "TIMEOUT" {
		status, why = schema.StatusError, firstText(why, reason)
		d.Say(schema.MessageError, why)
	} else {
		why = nil
	}
	d.EndRun(status, why)
	d.calls, d.citations = nil, nil
}

// countingOf is how a usage counts. What is billed leaves parts of the prompt out, and is
// read only where nothing else is stated.
func countingOf(usage []byte) *dialect.Counting {
	if dialect.RawNull(dialect.RawMember(usage, "tokens")) {
		return &billed
	}
	return &counting
}

var counting = dialect.Counting{
	Input: "tokens.input_tokens", CacheRead: "cached_tokens", Output: "tokens.output_tokens",
	InputHoldsCache: true, Mode: schema.UsageAdd,
}

var billed = dialect.Counting{
	Input: "billed_units.input_tokens", Output: "billed_units.output_tokens", Mode: schema.UsageAdd,
}

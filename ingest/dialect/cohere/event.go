package cohere

import (
	"bytes"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// messageStart begins a message. A message in progress stays without an end.
func (d *decoder) messageStart(in *dialect.Input) {
	if d.Run() != nil && d.begun {
		d.Leave()
		d.cut++
	}
	d.answered()
	d.name(in.JSON.GetStringBytes("id"))
}

// delta returns a member of the event's delta, parsed and as JSON.
func delta(in *dialect.Input, name string) (v *fastjson.Value, raw []byte) {
	return in.JSON.Get("delta", "message", name), dialect.RawPath(in.Data, "delta.message."+name)
}

// content reads the start or a delta of a content: text or thinking.
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

// keyOf returns the key of a content's growing message.
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

// toolPlan reads the model's thinking about the tools that it is going to call.
func (d *decoder) toolPlan(in *dialect.Input) {
	d.answered()
	if chunk := in.JSON.GetStringBytes("delta", "message", "tool_plan"); len(chunk) > 0 {
		d.Append(schema.MessageThinking, planKey, chunk)
	}
}

var planKey = []byte("plan")

// citationLimit bounds the citations of a text, bytes.
const citationLimit = 64 << 10

// citation adds a citation to the attributes of its text.
func (d *decoder) citation(in *dialect.Input) {
	_, raw := delta(in, "citations")
	m := d.Growing(schema.MessageAssistant, d.keyOf(in))
	for i := int64(0); m == nil && i < 8; i++ { // a citation's index counts citations, not contents
		m = d.Growing(schema.MessageAssistant, strconv.AppendInt([]byte("c"), i, 10))
	}
	if m == nil || dialect.RawNull(raw) || len(d.citations)+len(raw) > citationLimit {
		return
	}
	d.citations.Add(raw)
	m.Attributes = dialect.Attribute("citations", d.citations.JSON())
	d.Emitter.ChangedMessage(m, d.Frame)
}

// messageEnd ends a message and reads its usage.
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

// finish records the usage and ends the run with the status of its finish_reason.
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
		status, why = schema.StatusError, dialect.FirstNonEmpty(why, reason)
		d.Say(schema.MessageError, why)
	} else {
		why = nil
	}
	d.EndRun(status, why)
	d.calls, d.citations = nil, nil
}

// countingOf returns how a usage counts. billed_units leave out parts of the prompt, and are read
// only if no tokens are stated.
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

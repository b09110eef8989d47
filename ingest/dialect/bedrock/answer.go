package bedrock

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// answer is the latest answer of the model, in progress or ended.
type answer struct {
	begun, ended bool
	started      bool // it began with a messageStart
	cut          bool // it cut off another answer, whose events may still come
	mixed        bool // it has events of the answer that it cut off
	run, call    *dialect.Span
	usage        *dialect.Usage
	reason       string
	latency      []byte // ms, as stated
	blocks       []block
	tail         tail
}

// block is a content block in progress.
type block struct {
	index int
	kind  schema.MessageKind // of its text; "" without text
	tool  *model.Tool
	// result is the status of the tool's result if the block is a result.
	result schema.Status
}

// tail is a text whose block has stopped and that the next block may continue: Nova sends each
// piece of an answer as a block of its own.
type tail struct {
	index   int
	message *dialect.Message // nil if there is none
}

// blockLimit bounds the blocks in progress.
const blockLimit = 64

// begin makes sure that an answer is in progress.
func (d *decoder) begin() {
	a := &d.answer
	if a.begun && !a.ended {
		return
	}
	*a = answer{begun: true, blocks: a.blocks[:0]}
	if d.Run() == nil {
		d.OpenRun("")
	}
	a.run, a.call = d.Run(), d.InCall()
}

func (d *decoder) messageStart(*dialect.Input, part) {
	cut := d.answer.begun && !d.answer.ended
	if cut { // the previous answer was cut off
		d.Abandon()
		d.answer = answer{}
	}
	d.begin()
	d.answer.started, d.answer.cut = true, cut
}

// messageStop reads {"stopReason"}. The usage mostly follows. An answer does not end twice.
func (d *decoder) messageStop(_ *dialect.Input, p part) {
	if d.answer.ended {
		return
	}
	d.begin()
	for len(d.answer.blocks) > 0 {
		d.stop(d.answer.blocks[0].index)
	}
	d.answer.tail = tail{}
	d.answer.reason = string(p.v.GetStringBytes("stopReason"))
	d.describe()
	status, why := schema.StatusOK, []byte(nil)
	switch d.answer.reason {
	case "guardrail_intervened", "content_filtered", "malformed_model_output", "malformed_tool_use":
		status, why = schema.StatusError, []byte(d.answer.reason)
		d.Say(schema.MessageError, why)
	}
	d.EndRun(status, why)
	d.answer.ended = true
}

// describe sets the run's attributes.
func (d *decoder) describe() {
	var attrs dialect.Attributes
	if d.answer.reason != "" {
		attrs.AddText("stop_reason", d.answer.reason)
	}
	attrs.AddRaw("latency_ms", d.answer.latency)
	if d.answer.mixed {
		attrs.AddRaw(schema.Inseparable, []byte("true"))
	}
	d.answer.run.Attributes = attrs.Text()
	d.Emitter.ChangedSpan(d.answer.run, d.Frame)
}

// counting is how Bedrock counts. The input does not include tokens read from a cache or written to
// one, except in streams of OpenAI's models (see netInput). The output includes reasoning, which is
// not stated separately.
var counting = dialect.Counting{
	Input:        "inputTokens",
	CacheRead:    "cacheReadInputTokens|cacheReadInputTokenCount",
	CacheWrite5m: "cacheWriteInputTokens|cacheWriteInputTokenCount",
	Output:       "outputTokens",
	Total:        "totalTokens",
	Mode:         schema.UsageAdd,
}

// metadata reads {"usage","metrics":{"latencyMs"}}, which comes after the end of the answer or
// before it. An answer has one metadata. A second one belongs to the answer that was cut off, as
// events do not name their answer.
func (d *decoder) metadata(in *dialect.Input, p part) {
	a := &d.answer
	if !a.begun {
		d.begin()
	}
	stated := xxhash.Sum64(p.raw)
	if stated == d.stated && (!a.started || a.usage != nil) {
		return // the end of this answer or the previous one, delivered again
	}
	d.stated = stated
	if a.cut && a.usage != nil { // a.usage belongs to the answer that was cut off
		a.usage, a.mixed = nil, true
	}
	if raw := dialect.RawMember(p.raw, "usage"); raw != nil {
		d.Billing.ServiceTier = dialect.StatedText(p.v.GetStringBytes("serviceTier", "type"))
		d.Billing.Speed = speeds[string(p.v.GetStringBytes("performanceConfig", "latency"))]
		a.usage = d.Count(a.usage, &counting, "", a.call, raw)
		splitWrites(a.usage, raw)
		if a.usage != nil && in != nil && isOpenAI(d.Model) { // a whole answer has no event
			netInput(a.usage)
		}
	}
	if ms := dialect.RawPath(p.raw, "metrics.latencyMs"); dialect.IsNumber(p.v.Get("metrics", "latencyMs")) {
		a.latency = append([]byte(nil), ms...)
	}
	d.describe()
}

// isOpenAI reports whether a model id of Bedrock names a model of OpenAI, such as
// openai.gpt-5.6-sol or us.openai.gpt-5.6-sol.
func isOpenAI(id string) bool {
	return strings.HasPrefix(id, "openai.") || strings.Contains(id, ".openai.") || strings.Contains(id, "/openai.")
}

// netInput subtracts the tokens read from a cache and written to one from the input. Streams of
// OpenAI's models state an input that includes them, and a total that counts them twice; whole
// answers state an input without them. An input smaller than the cached tokens does not include
// them.
func netInput(u *dialect.Usage) {
	cached := u.Tokens.CacheRead + u.Tokens.CacheWrite5m + u.Tokens.CacheWrite1h
	if u.Tokens.Input < cached {
		return
	}
	u.Tokens.Input -= cached
	if u.Total == u.Tokens.Sum()+cached {
		u.Total = u.Tokens.Sum()
	}
}

// speeds maps the values of performanceConfig.latency to speeds.
var speeds = map[string]string{"standard": "standard", "optimized": "optimized"}

// splitWrites counts tokens that were written to a cache for an hour as such. cacheDetails is a
// list of {"inputTokens","ttl"}.
func splitWrites(u *dialect.Usage, raw []byte) {
	if u == nil {
		return
	}
	dialect.RawElements(dialect.RawMember(raw, "cacheDetails"), func(one []byte) bool {
		if string(dialect.RawText(one, "ttl")) == "1h" {
			n, _ := dialect.RawUint(dialect.RawMember(one, "inputTokens"))
			n = min(n, u.Tokens.CacheWrite5m)
			u.Tokens.CacheWrite5m -= n
			u.Tokens.CacheWrite1h += n
		}
		return true
	})
}

// failure ends the answer with an exception, or with the body of a refused request.
func (d *decoder) failure(name string, p part) {
	why := reasonOf(&dialect.Input{Frame: d.Frame}, name, p)
	if len(why) == 0 {
		why = d.Refusal.Text()
	}
	if d.answer.ended {
		d.answer = answer{}
	}
	run := d.RunAtEnd()
	var attrs dialect.Attributes
	if name != "" {
		attrs.AddText("exception", name)
	}
	if d.Refusal.Refused() {
		attrs.AddText("http_status", string(d.Refusal.Text()[len("HTTP "):]))
	}
	run.Attributes = attrs.Text()
	d.Fail(why, why)
	d.answer = answer{begun: true, ended: true, run: run, call: d.answer.call, usage: d.answer.usage}
}

// reasonOf returns the text of an exception or an error, else its name.
func reasonOf(in *dialect.Input, name string, p part) []byte {
	if why := dialect.FirstText(p.v, "message", "Message", "originalMessage"); why != nil {
		return why
	}
	if m, ok := schema.ParseEventMessage(in.Raw); ok && in.Transport == schema.EventStream {
		if why := m.Header(":error-message"); len(why) > 0 {
			return why
		}
	}
	if len(name) == 0 {
		return p.raw
	}
	return []byte(name)
}

// key appends the key of a block's text.
func (b *block) key(buf []byte) []byte { return strconv.AppendInt(buf, int64(b.index), 10) }

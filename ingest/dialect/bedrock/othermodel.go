package bedrock

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// invocationMetrics is the member in which the service states the tokens of an InvokeModel stream,
// beside the last event of the model, for every protocol of a model.
const invocationMetrics = "amazon-bedrock-invocationMetrics"

// metricsCounting is how invocationMetrics counts. The input does not include the cache.
var metricsCounting = dialect.Counting{
	Input: "inputTokenCount", CacheRead: "cacheReadInputTokenCount", CacheWrite5m: "cacheWriteInputTokenCount",
	Output: "outputTokenCount", Mode: schema.UsageAdd,
}

// countMetrics records the usage that the service states beside an event if the answer has no
// other.
func (d *decoder) countMetrics(event []byte) {
	raw := dialect.RawMember(event, invocationMetrics)
	if raw == nil || d.answer.usage != nil {
		return
	}
	if !d.answer.begun {
		d.begin()
	}
	d.answer.usage = d.CountHere(&metricsCounting, d.answer.call, raw)
	if ms := dialect.RawMember(raw, "invocationLatency"); len(ms) > 0 && ms[0] >= '0' && ms[0] <= '9' {
		d.answer.latency = append([]byte(nil), ms...)
	}
	d.describe()
}

// isOtherModel reports whether the model in a request's path has a protocol of its own: it is
// neither of Anthropic nor the ARN of a profile, which does not name the model.
func isOtherModel(name string) bool {
	return name != "" && !strings.Contains(name, "anthropic") && !strings.Contains(name, "arn:")
}

// speaksMessages reports whether an event or a request is of Anthropic's Messages API.
func speaksMessages(in *dialect.Input) bool {
	sure, _ := anthropic.Dialect.Match(in)
	return sure != dialect.No
}

// says has the members in which models other than Anthropic's and Nova have text: Titan, Llama,
// Cohere, Claude's older API, Mistral, and the servers of chat completions (AI21, OpenAI,
// DeepSeek).
var says = [][]string{
	{"outputText"}, {"generation"}, {"text"}, {"completion"}, {"outputs", "0", "text"}, {"generations", "0", "text"},
	{"results", "0", "outputText"}, {"choices", "0", "delta", "content"}, {"choices", "0", "message", "content"}, {"choices", "0", "text"},
}

// stops has the members in which they state why an answer ended.
var stops = [][]string{
	{"completionReason"}, {"stop_reason"}, {"finish_reason"}, {"outputs", "0", "stop_reason"}, {"generations", "0", "finish_reason"},
	{"results", "0", "completionReason"}, {"choices", "0", "finish_reason"}, {"choices", "0", "stop_reason"},
}

// bodyCounting has the members in which whole bodies of such models count tokens.
var bodyCounting = dialect.Counting{
	Input: "inputTextTokenCount|prompt_token_count|prompt_tokens|input_tokens", Output: "generation_token_count|completion_tokens|output_tokens|tokenCount",
	Total: "total_tokens", Mode: schema.UsageAdd,
}

// isOtherEvent reports whether an event has a text, a reason to stop or tokens of such a model.
func isOtherEvent(v *fastjson.Value) bool {
	return firstOf(v, says) != nil || firstOf(v, stops) != nil || v.Get(invocationMetrics) != nil
}

// otherEvent reads an event of such a model: its text, why the answer ended, and the tokens that
// the service states with the last event.
func (d *decoder) otherEvent(in *dialect.Input, whole bool) {
	in.Type = "chunk"
	text := firstOf(in.JSON, says)
	if d.answer.ended && d.answer.usage == nil && text == nil { // only the tokens of the answer
		d.countMetrics(in.Data)
		return
	}
	d.begin()
	if text != nil {
		d.Append(schema.MessageAssistant, nil, text)
	}
	if reason := firstOf(in.JSON, stops); reason != nil {
		d.answer.reason = dialect.Intern(reason)
	}
	d.countMetrics(in.Data)
	if whole && d.answer.usage == nil {
		d.countBody(in)
	}
	if whole || d.answer.usage != nil {
		d.endOther()
	}
}

// firstOf returns the first text that is not empty at one of the paths, or nil.
func firstOf(v *fastjson.Value, paths [][]string) []byte {
	for _, path := range paths {
		if text := v.GetStringBytes(path...); len(text) > 0 {
			return text
		}
	}
	return nil
}

// countBody records the usage of a whole body: the counts in the head of the answer, which the
// service states for every model, else those in the body.
func (d *decoder) countBody(in *dialect.Input) {
	raw := d.headCounts
	if raw == nil {
		raw = in.Data
		for _, name := range []string{"usage", "meta"} {
			if inside := dialect.RawMember(in.Data, name); inside != nil {
				raw = inside
			}
		}
		d.answer.usage = d.CountHere(&bodyCounting, d.answer.call, raw)
		return
	}
	d.answer.usage = d.CountHere(&metricsCounting, d.answer.call, raw)
}

// endOther ends the answer.
func (d *decoder) endOther() {
	d.Complete(schema.MessageAssistant, nil)
	d.describe()
	d.EndRun(schema.StatusOK, nil)
	d.answer.ended = true
}

// prompt records the new part of a request to such a model.
func (d *decoder) prompt(in *dialect.Input) {
	in.Type = "request"
	if d.Run() == nil {
		d.OpenRun("")
		d.OpenCall()
		d.answer = answer{}
	}
	for _, name := range [...]string{"prompt", "inputText", "message"} {
		if text := in.JSON.GetStringBytes(name); len(text) > 0 {
			d.AwaitID(d.UserMessage(text))
			return
		}
	}
	messages := in.JSON.GetArray("messages")
	dialect.Elements(messages, dialect.RawMember(in.Data, "messages"), dialect.NewSince(messages, dialect.IsAssistant, true),
		func(_ int, v *fastjson.Value, raw []byte) {
			if text := dialect.RawWords(dialect.RawMember(raw, "content")); text != nil && string(v.GetStringBytes("role")) == "user" {
				d.AwaitID(d.UserMessage(text))
			}
		})
}

// headCountsOf returns the tokens that the head of an answer states, in the form of
// invocationMetrics, or nil.
func headCountsOf(h *dialect.Head) []byte {
	var counts dialect.Attributes
	for _, f := range [...]struct{ field, member string }{
		{"x-amzn-bedrock-input-token-count", "inputTokenCount"}, {"x-amzn-bedrock-output-token-count", "outputTokenCount"},
		{"x-amzn-bedrock-cache-read-input-token-count", "cacheReadInputTokenCount"},
		{"x-amzn-bedrock-cache-write-input-token-count", "cacheWriteInputTokenCount"},
	} {
		if value := h.Field(f.field); len(value) > 0 && value[0] >= '0' && value[0] <= '9' {
			if _, ok := dialect.RawUint(value); ok {
				counts.AddRaw(f.member, value)
			}
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return []byte(counts.Text())
}

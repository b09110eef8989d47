package otlp

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// counts lists, for each number of tokens, the attributes in which instrumentations state it. The
// first that is set counts.
var counts = []struct {
	place string // in the JSON that a Counting reads
	keys  []string
}{
	{"input", []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
		"llm.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens", "input_tokens", "input_token_count"}},
	{"cache_read", []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
		"llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens",
		"cache_read_tokens", "cached_content_token_count"}},
	{"cache_write", []string{"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens",
		"gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_input_tokens", "llm.token_count.prompt_details.cache_write",
		"ai.usage.inputTokenDetails.cacheWriteTokens", "cache_creation_tokens"}},
	{"output", []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
		"llm.usage.completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens", "output_tokens", "output_token_count"}},
	{"reasoning", []string{"gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
		"llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens",
		"thoughts_token_count"}},
	{"total", []string{"gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens", "ai.usage.totalTokens",
		"total_token_count"}},
}

// The conventions count tokens of the cache as a part of the input, and reasoning as a part of the
// output. Claude Code's own telemetry counts the cache beside the input, and Gemini CLI's counts
// reasoning beside the output.
var (
	conventional = dialect.Counting{
		Input: "input", CacheRead: "cache_read", CacheWrite5m: "cache_write", Output: "output", Reasoning: "reasoning", Total: "total",
		InputHoldsCache: true, OutputHoldsReasoning: true,
	}
	ofClaudeCode = dialect.Counting{
		Input: "input", CacheRead: "cache_read", CacheWrite5m: "cache_write", Output: "output", Total: "total",
	}
	ofGeminiCLI = dialect.Counting{
		Input: "input", CacheRead: "cache_read", Output: "output", Reasoning: "reasoning", Total: "total", InputHoldsCache: true,
	}
)

// usage records the tokens of a call of a model, if it states any. Its id is that of the response,
// which a recorded stream and an event may state as well, or of the request, or of the span. Of a
// span and an event, the span counts.
func (r *reader) usage(span string, item *otlpwire.Item, model, provider string) {
	a := item.Attributes
	c := &conventional
	switch {
	case isOf(item, "claude_code."):
		c = &ofClaudeCode
	case isOf(item, "gemini_cli."):
		c = &ofGeminiCLI
	}
	numbers, raw := []byte{'{'}, dialect.Attributes{}
	for _, of := range counts {
		for _, key := range of.keys {
			n, ok := a.Count(key)
			if !ok {
				continue
			}
			v, _ := a.Get(key)
			raw.AddRaw(key, v.AppendJSON(nil))
			if len(numbers) > 1 {
				numbers = append(numbers, ',')
			}
			numbers = append(append(append(numbers, '"'), of.place...), `":`...)
			numbers = strconv.AppendUint(numbers, n, 10)
			break
		}
	}
	tokens, total, ok := c.Read(append(numbers, '}'))
	if !ok {
		return
	}
	response := a.Text("gen_ai.response.id", "ai.response.id", "llm.response.id")
	request := a.Text("request_id", "gen_ai.request.id")
	scope := response
	switch {
	case response != "":
	case request != "":
		scope = "request:" + request
	default:
		scope = span
	}
	id, at := "usage:"+scope, r.in.At
	if item.Timed() && item.Start >= 1 {
		at = item.Start // before what a recorded stream states at the end, which has more detail
	}
	switch _, isSpan := r.spans[item.TraceID+item.SpanID]; {
	case isSpan:
		at = max(at, r.d.logged[id]) // the span has more detail
		r.d.spent.Add([]byte(id), usageLimit)
	case r.d.spent.Has([]byte(id)):
		return
	default:
		if r.d.logged == nil || len(r.d.logged) >= usageLimit {
			r.d.logged = map[string]int64{}
		}
		r.d.logged[id] = at
	}
	u := r.b.Use(id, scope, schema.UsageAdd, tokens, r.in.Frame)
	r.fill(&u.Fact, item)
	u.At, u.Span, u.Model, u.Provider, u.Total, u.Raw = at, span, model, provider, total, raw.Text()
	u.MessageID, u.RequestID, u.RequestedModel = response, request, requestedModel(a)
	if u.RequestedModel == "" {
		u.RequestedModel = model
	}
	u.ServiceTier = dialect.StatedText([]byte(a.Text("openai.response.service_tier", "gen_ai.openai.response.service_tier")))
	u.Speed = dialect.StatedText([]byte(a.Text("speed")))
	if v, ok := a.Get("cost_usd"); ok {
		if _, number := v.Float(); number {
			u.StateCost(v.Text(), "USD")
		}
	}
}

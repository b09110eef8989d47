package openai

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// chatCounting is how chat completions count: a response's usage, stated once or
// again and again with the same id. prompt_tokens includes what came from the
// cache and what was written to one; completion_tokens includes reasoning, audio
// and prediction tokens, accepted or rejected. DeepSeek names its cache hits
// apart as well (prompt_cache_hit_tokens, the rest being
// prompt_cache_miss_tokens), OpenRouter its writes to a cache.
var chatCounting = dialect.Counting{
	Input:                "prompt_tokens",
	CacheRead:            "prompt_tokens_details.cached_tokens|prompt_cache_hit_tokens|cached_tokens",
	CacheWrite5m:         "prompt_tokens_details.cache_write_tokens",
	Output:               "completion_tokens",
	Reasoning:            "completion_tokens_details.reasoning_tokens",
	Total:                "total_tokens",
	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// responsesCounting is how Responses count: one response. input_tokens includes
// what came from the cache, output_tokens includes reasoning.
var responsesCounting = dialect.Counting{
	Input:                "input_tokens",
	CacheRead:            "input_tokens_details.cached_tokens",
	CacheWrite5m:         "input_tokens_details.cache_write_tokens",
	Output:               "output_tokens",
	Reasoning:            "output_tokens_details.reasoning_tokens",
	Total:                "total_tokens",
	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// countingOf returns the rule for a usage. A provider that speaks OpenAI's
// language may count reasoning beside the output: the total that it states decides
// (xAI), or that reasoning is greater than the output and so is no part of it
// (Vercel's gateway for Gemini).
func countingOf(c *dialect.Counting, raw []byte) *dialect.Counting {
	beside := *c
	beside.OutputHoldsReasoning = false
	t, total, _ := beside.Read(raw)
	if t.Reasoning > t.Output || t.Reasoning > 0 && total == t.Sum() {
		return &beside
	}
	return c
}

// distinct is the length from which on a response's id is taken to be the only
// one of its kind. Some servers number theirs: chatcmpl-1 to chatcmpl-999.
const distinct = 20

// sharedID is the id of a response, "" where it is not the only one of its kind.
func sharedID(response string) string {
	if len(response) < distinct {
		return ""
	}
	return response
}

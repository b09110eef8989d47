package openai

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// chatCounting is how chat completions count. The usage is that of a response, stated once or
// repeatedly. prompt_tokens includes tokens from the cache and tokens written to one.
// completion_tokens includes reasoning, audio and prediction tokens, accepted or rejected.
// DeepSeek also states its cache hits separately (prompt_cache_hit_tokens; the rest is
// prompt_cache_miss_tokens), and OpenRouter its writes to a cache.
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
	Bill: &dialect.Bill{
		Input: dialect.Modalities{
			Text: "prompt_tokens_details.text_tokens", Audio: "prompt_tokens_details.audio_tokens",
			Image: "prompt_tokens_details.image_tokens", Video: "prompt_tokens_details.video_tokens",
		},
		Output: dialect.Modalities{
			Text: "completion_tokens_details.text_tokens", Audio: "completion_tokens_details.audio_tokens",
			Image: "completion_tokens_details.image_tokens",
		},
		InputHoldsCache: true,
		WebSearches:     "server_tool_use.web_search_requests|num_search_queries",
		Cost:            "cost.total_cost|cost", Currency: "USD", NoCostIf: "is_byok",
	},
}

// responsesCounting is how Responses count. The usage is that of one response. input_tokens
// includes tokens from the cache, output_tokens includes reasoning.
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
	Bill: &dialect.Bill{
		Input: dialect.Modalities{
			Text: "input_tokens_details.text_tokens", Audio: "input_tokens_details.audio_tokens", Image: "input_tokens_details.image_tokens",
		},
		Output: dialect.Modalities{
			Text: "output_tokens_details.text_tokens", Audio: "output_tokens_details.audio_tokens", Image: "output_tokens_details.image_tokens",
		},
		InputHoldsCache: true,
		WebSearches:     "server_side_tool_usage_details.web_search_calls",
		CodeExecutions:  "server_side_tool_usage_details.code_interpreter_calls",
		Cost:            "cost.total_cost|cost", Currency: "USD", NoCostIf: "is_byok",
	},
}

// countingOf returns how a usage counts. A provider with OpenAI's API may count reasoning in
// addition to the output. This is the case if the stated total says so (xAI), or if reasoning
// exceeds the output (Vercel's gateway for Gemini).
func countingOf(c *dialect.Counting, raw []byte) *dialect.Counting {
	beside := *c
	beside.OutputHoldsReasoning = false
	t, total, _ := beside.Read(raw)
	if t.Reasoning > t.Output || t.Reasoning > 0 && total == t.Sum() {
		return &beside
	}
	return c
}

// distinct is the length from which on a response's id is taken as unique. Some servers number
// theirs: chatcmpl-1 to chatcmpl-999.
const distinct = 20

// sharedID returns the id of a response, or "" if it is not unique.
func sharedID(response string) string {
	if len(response) < distinct {
		return ""
	}
	return response
}

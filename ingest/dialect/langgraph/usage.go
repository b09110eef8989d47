package langgraph

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how LangChain counts in usage_metadata, whatever the provider.
// input_tokens includes what came from a cache and what was written to one,
// output_tokens includes reasoning. Where the two kinds of a cache are told
// apart, cache_creation tells nothing more. A usage is that of one message: the
// sum of those of its chunks, or what the whole message says last.
var counting = dialect.Counting{
	Input:        "input_tokens",
	CacheRead:    "input_token_details.cache_read",
	CacheWrite5m: "input_token_details.ephemeral_5m_input_tokens|input_token_details.cache_creation",
	CacheWrite1h: "input_token_details.ephemeral_1h_input_tokens",
	Output:       "output_tokens", Reasoning: "output_token_details.reasoning", Total: "total_tokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageAdd,
}

// rawParts bounds the chunks whose usage is kept as it stood.
const rawParts = 16

// used records an answer's usage: whole, or one chunk's, which is added.
func (d *decoder) used(a *answer, raw []byte, whole bool) {
	tokens, total, ok := counting.Read(raw)
	if !ok {
		return
	}
	switch {
	case a.usage == nil:
		id, scope := "usage:"+a.id, a.id
		if a.id == "" {
			id = d.ID("usage")
			scope = id
		}
		a.usage = d.tr.Use(&counting, id, scope, a.span, raw)
		a.usage.Node, a.usage.Model, a.usage.Provider = a.span.Node, a.span.Model, a.span.Provider
		a.parts = 1
	case whole:
		if a.usage.Raw == string(raw) {
			return
		}
		a.usage.Tokens, a.usage.Total, a.usage.Raw = tokens, total, string(raw)
		d.Emitter.ChangedUsage(a.usage, d.Frame)
	default:
		u := a.usage
		u.Tokens = schema.Tokens{
			Input: u.Tokens.Input + tokens.Input, CacheRead: u.Tokens.CacheRead + tokens.CacheRead,
			CacheWrite5m: u.Tokens.CacheWrite5m + tokens.CacheWrite5m, CacheWrite1h: u.Tokens.CacheWrite1h + tokens.CacheWrite1h,
			Output: u.Tokens.Output + tokens.Output, Reasoning: u.Tokens.Reasoning + tokens.Reasoning,
		}
		u.Total += total
		switch a.parts++; {
		case a.parts == 2:
			u.Raw = "[" + u.Raw + "," + string(raw) + "]"
		case a.parts <= rawParts:
			u.Raw = u.Raw[:len(u.Raw)-1] + "," + string(raw) + "]"
		}
		d.Emitter.ChangedUsage(u, d.Frame)
	}
}

package langgraph

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how LangChain counts in usage_metadata, for every provider. input_tokens includes
// tokens from a cache and tokens written to one. output_tokens includes reasoning. If the kinds of
// cache writes are stated separately, cache_creation adds nothing. A usage belongs to one message:
// it is the sum of its chunks, or what the whole message states last.
var counting = dialect.Counting{
	Input:        "input_tokens",
	CacheRead:    "input_token_details.cache_read",
	CacheWrite5m: "input_token_details.ephemeral_5m_input_tokens|input_token_details.cache_creation",
	CacheWrite1h: "input_token_details.ephemeral_1h_input_tokens",
	Output:       "output_tokens", Reasoning: "output_token_details.reasoning", Total: "total_tokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageAdd,
	Bill: &dialect.Bill{
		Input:           dialect.Modalities{Audio: "input_token_details.audio"},
		Output:          dialect.Modalities{Audio: "output_token_details.audio"},
		InputHoldsCache: true,
	},
}

// rawParts bounds the chunks whose usage JSON is kept.
const rawParts = 16

// used records an answer's usage: the usage of the whole message, or the usage of a chunk, which is
// added.
func (d *decoder) used(a *answer, raw []byte, whole bool) {
	tokens, total, ok := counting.Read(raw)
	u := a.usage
	switch {
	case !ok, u != nil && whole && u.Raw == string(raw):
	case u == nil:
		u = d.conv.Count(nil, &counting, a.id, a.span, raw)
		u.Node, u.Model, u.Provider = a.span.Node, a.span.Model, a.span.Provider
		a.usage, a.parts = u, 1
	case whole:
		u.Tokens, u.Total, u.Raw = tokens, total, string(raw)
		d.Emitter.ChangedUsage(u, d.Frame)
	default:
		u.Tokens = dialect.AddTokens(u.Tokens, tokens)
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

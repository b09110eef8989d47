package interactions

import (
	"cmp"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// count reads the usage of an interaction. Its scope and id are the interaction's, as the
// interaction may be read again.
func (d *decoder) count(interaction []byte) {
	raw := dialect.RawMember(interaction, "usage")
	if raw == nil || d.usage != nil && d.usage.Raw == string(raw) {
		return
	}
	of := d.RunID
	if of != "" {
		of = provider + ":" + of
	}
	d.usage = d.Count(d.usage, &counting, of, cmp.Or(d.Call(), d.call), raw)
}

// counting is how the API counts. The input includes tokens from the cache, but not tokens that
// tools add to the prompt. The output does not include thoughts.
var counting = dialect.Counting{
	Input: "total_input_tokens+total_tool_use_tokens", CacheRead: "total_cached_tokens",
	Output: "total_output_tokens", Reasoning: "total_thought_tokens", Total: "total_tokens",
	InputHoldsCache: true, Mode: schema.UsageAdd,
}

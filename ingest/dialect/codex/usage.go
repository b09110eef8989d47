package codex

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how Codex counts. input_tokens includes tokens from a cache and, in the newest
// versions, tokens written to one. output_tokens includes reasoning. Every turn.completed states
// the total of the whole thread, also after "codex exec resume", so that readers take the
// difference.
var counting = dialect.Counting{
	Input: "input_tokens", CacheRead: "cached_input_tokens", CacheWrite5m: "cache_write_input_tokens",
	Output: "output_tokens", Reasoning: "reasoning_output_tokens", Total: "total_tokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageRunning,
}

// usage records a thread's running total. A stream without the name of its thread has a total of
// its own.
func (d *decoder) usage(raw []byte) {
	if d.scope == "" {
		if d.tr.Session == "" {
			d.scope = d.ID("thread")
		} else {
			d.scope = "thread:" + d.tr.Session
		}
	}
	d.tr.Use(&counting, d.shared("usage"), d.scope, d.tr.Run(), raw)
}

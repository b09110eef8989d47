package gemini

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how the Gemini API counts: protocols, section 2.7. Every chunk
// states the response's usage so far: the last one stands. The prompt includes
// what came from the cache, but not what tools put into it; the candidates do
// not include thoughts. So total = prompt + tools + candidates + thoughts.
var counting = dialect.Counting{
	Input:           "promptTokenCount+toolUsePromptTokenCount",
	CacheRead:       "cachedContentTokenCount",
	Output:          "candidatesTokenCount|responseTokenCount",
	Reasoning:       "thoughtsTokenCount",
	Total:           "totalTokenCount",
	InputHoldsCache: true,
	Mode:            schema.UsageAdd,
}

// count reads a chunk's usage.
func (d *decoder) count(raw []byte) {
	a := &d.answer
	if raw != nil && (a.usage == nil || a.usage.Raw != string(raw)) {
		a.usage = d.Count(a.usage, &counting, a.id, a.call, raw)
	}
}

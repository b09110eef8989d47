package gemini

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how the Gemini API counts: protocols, section 2.7. Every chunk
// tells the response's usage so far: the last one stands. The prompt includes
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
	switch {
	case raw == nil || a.usage != nil && a.usage.Raw == string(raw):
	case a.usage != nil:
		d.UpdateUsage(a.usage, &counting, raw)
	case a.id != "":
		a.usage = d.Use(&counting, "usage:"+a.id, a.id, a.call, raw)
	default:
		if _, _, counts := counting.Read(raw); !counts {
			return
		}
		id := d.ID("usage")
		a.usage = d.Use(&counting, id, id, a.call, raw)
	}
}

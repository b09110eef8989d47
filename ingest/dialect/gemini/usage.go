package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect/gemini/content"
)

// count reads a chunk's usage.
func (d *decoder) count(raw []byte) {
	a := &d.answer
	if raw == nil || a.usage != nil && a.usage.Raw == string(raw) {
		return
	}
	d.Billing.MessageID = a.id
	if a.usage = d.Count(a.usage, &content.Counting, a.id, a.call, raw); a.usage != nil {
		a.usage.Parts, a.usage.Tools = content.Parts(raw), a.tools
		if tier := content.Tier(raw); tier != "" {
			a.usage.ServiceTier = tier
		}
	}
}

// grounded counts a candidate's searches and fetched pages. Chunks repeat them: the highest count
// is kept.
func (a *answer) grounded(candidate *fastjson.Value) {
	t := &a.tools
	t.WebSearches = max(t.WebSearches, uint64(len(candidate.GetArray("groundingMetadata", "webSearchQueries"))))
	t.WebFetches = max(t.WebFetches, uint64(len(candidate.GetArray("urlContextMetadata", "urlMetadata"))))
}

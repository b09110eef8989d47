package prices

import "strings"

// A usage record of a call that the provider refused before any output says so in its service
// tier: "refused:CATEGORY", or "TIER refused:CATEGORY" where the call had a tier of its own. The
// words are those of schema.RefusedTier.

// refusalOf splits a recorded service tier into the tier and the category of the refusal, which
// is "" for a call that was not refused and "none" for a refusal without a category.
func refusalOf(recorded string) (tier, category string) {
	tier, last := "", recorded
	if i := strings.LastIndexByte(recorded, ' '); i >= 0 {
		tier, last = recorded[:i], recorded[i+1:]
	}
	category, ok := strings.CutPrefix(last, "refused:")
	if !ok {
		return recorded, ""
	}
	return tier, category
}

package prices

import "strings"

// If the provider refused a call before any output, the service tier of its usage record says so:
// "refused:CATEGORY", or "TIER refused:CATEGORY" for a call with a tier of its own.
// schema.RefusedTier defines these words.

// refusalOf splits a recorded service tier into the tier and the category of the refusal. The
// category is "" for a call that was not refused, and "none" for a refusal without a category.
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

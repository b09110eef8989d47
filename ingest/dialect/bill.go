package dialect

import (
	"bytes"
	"strings"

	"tapedeck/schema"
)

// Bill declares where a source's usage JSON states what its price depends on besides tokens.
// Places are written as in Counting. An empty place means that the source does not state the
// value.
type Bill struct {
	ServiceTier, Speed, Region string
	Cost, Currency             string // Currency is the currency of every Cost, not a place
	NoCostIf                   string // the place of a value that is true if Cost leaves out a part of the usage's cost
	// Input, CacheRead and Output hold the places of tokens by modality. With InputHoldsCache the
	// counts of Input include the counts of CacheRead.
	Input, CacheRead, Output                Modalities
	InputHoldsCache                         bool
	WebSearches, WebFetches, CodeExecutions string
}

// Modalities holds the places of counts by modality.
type Modalities struct{ Text, Audio, Image, Video string }

// stated maps texts in lower case to the form that is kept, so that a tier has the same name for
// every provider. The form is "" for texts by which a source says that it does not know the
// value.
var stated = map[string]string{
	"not_available": "", "unknown": "", "auto": "", "traffic_type_unspecified": "",
	"default": "standard", "on_demand": "standard", "on_demand_flex": "flex", "on_demand_priority": "priority",
	"provisioned_throughput": "provisioned",
}

// Read sets in u what a usage JSON states, and leaves the rest of u as it is. The tokens of u
// must be set before, see schema.Usage.StateCost. A nil Bill reads nothing.
func (b *Bill) Read(usage []byte, u *schema.Usage) {
	var members usageMembers
	if b == nil || !members.read(usage) {
		return
	}
	for _, text := range [...]struct {
		place string
		to    *string
	}{{b.ServiceTier, &u.ServiceTier}, {b.Speed, &u.Speed}, {b.Region, &u.Region}} {
		members.setText(text.place, text.to)
	}
	for _, count := range [...]struct {
		place string
		to    *uint64
	}{
		{b.WebSearches, &u.Tools.WebSearches}, {b.WebFetches, &u.Tools.WebFetches}, {b.CodeExecutions, &u.Tools.CodeExecutions},
	} {
		members.set(count.place, count.to)
	}
	input, cached := u.Parts.Input, u.Parts.CacheRead
	b.CacheRead.read(&members, &cached)
	if b.Input.read(&members, &input) && b.InputHoldsCache {
		input.Subtract(inCache(cached, u.Tokens))
		input.Limit(u.Tokens.Input)
	}
	u.Parts.Input, u.Parts.CacheRead = input, cached
	b.Output.read(&members, &u.Parts.Output)
	if cost := members.firstPath(b.Cost); len(cost) > 0 && string(members.firstPath(b.NoCostIf)) != "true" {
		u.StateCost(strings.Trim(Alias(cost), `"`), b.Currency)
	}
}

// inCache returns the cached part of the input by modality. All tokens read from a cache or
// written to one are text, except those stated for other modalities.
func inCache(stated schema.Modalities, t schema.Tokens) schema.Modalities {
	all, others := t.CacheRead+t.CacheWrite5m+t.CacheWrite1h, stated.Audio+stated.Image+stated.Video
	if stated.Text == 0 {
		stated.Text = all - min(all, others)
	}
	return stated
}

// read reports whether a count was stated.
func (m *Modalities) read(members *usageMembers, to *schema.Modalities) (stated bool) {
	if *m == (Modalities{}) {
		return false
	}
	for _, count := range [...]struct {
		place string
		to    *uint64
	}{{m.Text, &to.Text}, {m.Audio, &to.Audio}, {m.Image, &to.Image}, {m.Video, &to.Video}} {
		stated = members.set(count.place, count.to) || stated
	}
	return stated
}

// set sets a count, if it is stated.
func (u *usageMembers) set(places string, to *uint64) bool {
	n, stated := u.count(places)
	if stated {
		*to = n
	}
	return stated
}

// setText sets a text, if it is stated.
func (u *usageMembers) setText(places string, to *string) {
	if value := u.firstPath(places); len(value) > 2 && value[0] == '"' {
		*to = StatedText(inner(value))
	}
}

// firstPath returns the value at the first place that exists.
func (u *usageMembers) firstPath(places string) (value []byte) {
	for places != "" && value == nil {
		var place string
		place, places, _ = strings.Cut(places, "|")
		value = u.path(place)
	}
	return value
}

// statedLimit bounds the length of a tier, a speed or a region that is kept, bytes.
const statedLimit = 64

// StatedText returns a tier, a speed or a region in the form that is kept: lower case, or "" for
// a text that means an unknown value.
func StatedText(text []byte) string {
	if len(text) > statedLimit {
		return ""
	}
	lower := bytes.ToLower(text)
	if kept, ok := stated[string(lower)]; ok {
		return kept
	}
	return Intern(lower)
}

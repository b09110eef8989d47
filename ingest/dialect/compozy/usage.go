package compozy

import (
	"strconv"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how Compozy counts (protocols, section 1.2). Each entry is everything that an
// execution used of one model so far, so that a later entry replaces an earlier one. The prompt
// includes tokens from a cache, the completion includes reasoning.
var counting = dialect.Counting{
	Input:                "prompt_tokens",
	CacheRead:            "cached_prompt_tokens",
	Output:               "completion_tokens",
	Reasoning:            "reasoning_tokens",
	Total:                "total_tokens",
	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// usage is the stated usage of an execution.
type usage struct {
	base    string // prefix of the entries' ids
	entries []entry
}

// entry is the stated usage of one model.
type entry struct {
	key string // ":provider/model", or "" for all models
	*dialect.Usage
}

// usedModels bounds the entries of an execution.
const usedModels = 64

// count reads an event's usage: an array of entries, {"entries":[…]}, or one
// object.
func (d *decoder) count(e *event) {
	if !e.isObject() || d.run.span == nil {
		return
	}
	raw := e.raw("usage")
	if inside := dialect.RawMember(raw, "entries"); inside != nil {
		raw = inside
	}
	if len(raw) == 0 {
		return
	}
	seen := map[string]int{}
	if raw[0] == '{' {
		d.countOne(raw, seen)
	} else {
		dialect.RawElements(raw, func(one []byte) bool {
			d.countOne(one, seen)
			return len(seen) < usedModels
		})
	}
	d.Model, d.Provider = "", "" // the usage is not stated for each call
	d.nameModel()
}

// nameModel sets the execution's model if it has exactly one.
func (d *decoder) nameModel() {
	span, entries := d.run.span, d.run.usage.entries
	model, provider := "", ""
	if len(entries) > 0 {
		model, provider = entries[0].Model, entries[0].Provider
	}
	for _, e := range entries {
		if e.Model != model {
			model = ""
		}
		if e.Provider != provider {
			provider = ""
		}
	}
	if span.Model != model || span.Provider != provider {
		span.Model, span.Provider = model, provider
		d.Emitter.ChangedSpan(span, d.Frame)
	}
}

// countOne records an entry. seen counts the entries of this event by key.
func (d *decoder) countOne(raw []byte, seen map[string]int) {
	if _, ok := dialect.MembersOf(raw); !ok {
		return
	}
	model, provider := dialect.RawText(raw, "model"), dialect.RawText(raw, "provider")
	key := ":" + dialect.Short(provider) + "/" + dialect.Short(model)
	if len(key) == len(":/") {
		key = "" // an older form with one entry
	}
	if n := seen[key]; n > 0 {
		seen[key]++
		key += "#" + strconv.Itoa(n)
	} else {
		seen[key] = 1
	}
	d.Model, d.Provider = dialect.Short(model), dialect.Short(provider)
	if d.Provider == "" {
		d.Provider = dialect.ProviderOf(d.Model)
	}
	u := &d.run.usage
	for _, known := range u.entries {
		if known.key == key {
			if known.Raw != string(raw) {
				d.UpdateUsage(known.Usage, &counting, raw)
			}
			return
		}
	}
	if len(u.entries) >= usedModels {
		return
	}
	if u.base == "" {
		u.base = "usage:" + strings.TrimPrefix(d.run.span.ID, "run:")
		if d.RunID != "" {
			u.base = "usage:" + d.RunID
		}
	}
	id := u.base + key
	if one := d.Use(&counting, id, id, d.run.span, raw); one != nil {
		u.entries = append(u.entries, entry{key, one})
	}
}

package vercelui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how the AI SDK counts (LanguageModelUsage). inputTokens is the whole prompt, of which
// cachedInputTokens came from a cache. outputTokens is the whole output, of which reasoningTokens
// are reasoning. Version 6 states the parts in inputTokenDetails and outputTokenDetails; version 4
// has promptTokens and completionTokens and no parts. A usage covers a whole message, in version 4
// a step: messages and steps add up.
var counting = dialect.Counting{
	Input:        "inputTokens|promptTokens",
	CacheRead:    "cachedInputTokens|inputTokenDetails.cacheReadTokens",
	CacheWrite5m: "inputTokenDetails.cacheWriteTokens",
	Output:       "outputTokens|completionTokens",
	Reasoning:    "reasoningTokens|outputTokenDetails.reasoningTokens",
	Total:        "totalTokens",

	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// usageDepth bounds the depth at which a message's metadata is searched for usage.
const usageDepth = 3

// metadata reads a message's metadata, where an application may state its model and usage.
func (d *decoder) metadata(in *dialect.Input) {
	meta := dialect.RawMember(in.Data, "messageMetadata")
	if len(meta) == 0 || meta[0] != '{' {
		return
	}
	if d.run.span == nil {
		d.inRun()
	}
	for _, name := range []string{"model", "modelId"} {
		if model := dialect.RawText(meta, name); len(model) > 0 {
			d.SetModel(d.model.Own(model), "")
			break
		}
	}
	if raw, total := findUsage(meta, usageDepth); raw != nil {
		d.used(raw, total)
	}
}

// findUsage returns a usage in an object: a totalUsage before a usage, and one at this level
// before a deeper one.
func findUsage(object []byte, depth int) (raw []byte, total bool) {
	for _, name := range []string{"totalUsage", "usage"} {
		value := dialect.RawMember(object, name)
		if _, _, ok := counting.Read(value); ok {
			return value, name == "totalUsage"
		}
	}
	if depth <= 1 {
		return nil, false
	}
	members, ok := dialect.MembersOf(object)
	for ok {
		var value []byte
		if _, value, ok = members.Next(); ok && len(value) > 0 && value[0] == '{' {
			if raw, total = findUsage(value, depth-1); raw != nil {
				return raw, total
			}
		}
	}
	return nil, false
}

// used records the usage of the message. The client merges metadata: the last usage counts, but a
// part of a total does not replace it.
func (d *decoder) used(raw []byte, total bool) {
	r := &d.run
	if r.isTotal && !total {
		return
	}
	r.isTotal = total
	of := d.RunID
	if r.resumed {
		of = ""
	}
	r.usage = d.Count(r.usage, &counting, of, r.span, raw)
}

// usageOfStep records the usage of a step (version 4).
func (d *decoder) usageOfStep(raw []byte) {
	tokens, _, ok := counting.Read(raw)
	if !ok {
		return
	}
	d.inRun()
	span := d.Call()
	if span == nil {
		span = d.run.span
	}
	if id := d.shared("usage"); id != "" {
		d.Use(&counting, id, id, span, raw)
	} else {
		d.CountHere(&counting, span, raw)
	}
	d.run.steps++
	d.run.sum.Input += tokens.Input
	d.run.sum.Output += tokens.Output
}

// usageOfAll reads the total of a message (version 4). It counts only if no step stated a usage,
// and becomes an attribute if it differs from their sum.
func (d *decoder) usageOfAll(raw []byte) {
	tokens, _, ok := counting.Read(raw)
	switch {
	case !ok:
	case d.run.steps == 0:
		d.used(raw, true)
	case tokens != d.run.sum:
		d.run.attrs.AddRaw("total_usage", raw)
	}
}

package geminicli

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how the stats of a result count. input_tokens counts the prompt with tokens from a
// cache ("input" is the part without them). output_tokens counts the answers. total_tokens also
// includes thoughts and the prompts of tools that Google executes; no number separates the two. The
// stats are the sum of all calls of the process, also in a resumed session: each process adds its
// own.
var counting = dialect.Counting{
	Input: "input_tokens", CacheRead: "cached", Output: "output_tokens", Total: "total_tokens",
	InputHoldsCache: true, ReasoningInTotal: true,
	Mode: schema.UsageAdd,
}

// counts are the usages of a process by model. Later stats of the process replace them.
type counts struct {
	whole *dialect.Usage
	model []*dialect.Usage
}

// countedModels bounds the models of a process.
const countedModels = 32

// usage records the stats of a result: one usage for each model if the stats state them, else one
// usage.
func (d *decoder) usage(in *dialect.Input, run *dialect.Span) {
	stats := dialect.RawMember(in.Data, "stats")
	if d.counts.whole == nil {
		models, ok := dialect.MembersOf(dialect.RawMember(stats, "models"))
		for ok && len(d.counts.model) < countedModels {
			var name, raw []byte
			if name, raw, ok = models.Next(); ok {
				d.modelUsage(name, raw, run)
			}
		}
	}
	switch {
	case len(d.counts.model) > 0:
	case d.counts.whole != nil:
		d.tr.UpdateUsage(d.counts.whole, &counting, stats)
	default:
		d.counts.whole = d.tr.CountHere(&counting, run, stats)
	}
}

func (d *decoder) modelUsage(name, raw []byte, run *dialect.Span) {
	for _, u := range d.counts.model {
		if u.Model == string(name) {
			d.tr.UpdateUsage(u, &counting, raw)
			u.Model = string(name)
			return
		}
	}
	if u := d.tr.CountHere(&counting, run, raw); u != nil {
		u.Model = string(name)
		d.counts.model = append(d.counts.model, u)
	}
}

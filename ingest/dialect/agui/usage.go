package agui

import (
	"bytes"
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how AG-UI counts (TokenUsage): inputTokens and outputTokens are
// the totals; cachedInputTokens and cacheWriteInputTokens are parts of the one,
// reasoningTokens of the other. A run tells one usage for each model, once, when
// it ends: they are added up. The names with underscores are those of
// LangChain's usage_metadata, which counts alike; it occurs in RAW events.
var counting = dialect.Counting{
	Input:        "inputTokens|input_tokens",
	CacheRead:    "cachedInputTokens|input_token_details.cache_read",
	CacheWrite5m: "cacheWriteInputTokens|input_token_details.cache_creation",
	Output:       "outputTokens|output_tokens",
	Reasoning:    "reasoningTokens|output_token_details.reasoning",
	Total:        "totalTokens|total_tokens",

	InputHoldsCache:      true,
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// usageLimit bounds the usages of a run.
const usageLimit = 64

// used tells the usage that a run states at its end, or else what RAW events
// told while it went on.
func (d *decoder) used(list []byte) {
	self := gone{d.talk.RunID, d.run.span}
	if model, n := d.usedBy(self, list); n > 0 {
		d.run.counted = nil
		if n == 1 && model != "" {
			d.talk.SetModel(model, string(textOf(firstOf(list), "provider")))
		}
	}
	d.countRaw()
}

// usedBy tells the usages of a run, and gives the model of the last and their
// number.
func (d *decoder) usedBy(run gone, list []byte) (model string, n int) {
	dialect.RawElements(list, func(one []byte) bool {
		if u := d.use(run, one, n); u != nil {
			model = u.Model
			n++
		}
		return n < usageLimit
	})
	return model, n
}

// firstOf is an array's first element.
func firstOf(list []byte) (first []byte) {
	dialect.RawElements(list, func(one []byte) bool {
		first = one
		return false
	})
	return first
}

// use tells one usage, the nth of its run. The run's id is the same wherever it
// is told of.
func (d *decoder) use(run gone, raw []byte, n int) *dialect.Usage {
	id := "usage:" + run.id + ":" + strconv.Itoa(n)
	if run.id == "" {
		id = d.ID("usage")
	}
	u := d.talk.Use(&counting, id, id, run.span, raw)
	if u == nil {
		return nil
	}
	u.Session, u.Run = run.span.Session, run.span.Run
	u.Model, u.Provider = string(textOf(raw, "model")), string(textOf(raw, "provider"))
	if u.Provider == "" {
		u.Provider = dialect.ProviderOf(u.Model)
	}
	return u
}

// rawUsage reads a RAW event with usage, as agents sent it before runs told
// their usage. It counts only where the run's end tells none.
func (d *decoder) rawUsage(in *dialect.Input) {
	if string(in.JSON.GetStringBytes("source")) != "usage" {
		return
	}
	d.inRun()
	event := dialect.RawMember(in.Data, "event")
	if inside := dialect.RawMember(event, "usage"); inside != nil {
		event = inside
	}
	keep := func(one []byte) bool {
		if _, _, ok := counting.Read(one); ok && len(d.run.counted) < usageLimit && len(one) <= attachLimit {
			d.run.counted = append(d.run.counted, bytes.Clone(one))
		}
		return true
	}
	if len(event) > 0 && event[0] == '[' {
		dialect.RawElements(event, keep)
		return
	}
	keep(event)
}

// countRaw tells what RAW events counted.
func (d *decoder) countRaw() {
	for n, one := range d.run.counted {
		d.use(gone{d.talk.RunID, d.run.span}, one, n)
	}
	d.run.counted = nil
}

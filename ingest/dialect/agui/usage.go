package agui

import (
	"bytes"
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how AG-UI counts (TokenUsage). inputTokens and outputTokens are totals.
// cachedInputTokens and cacheWriteInputTokens are parts of inputTokens, reasoningTokens of
// outputTokens. A run states one usage for each model, at its end, and these add up. The names
// with underscores are those of LangChain's usage_metadata, which counts alike and occurs in RAW
// events.
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

// usageOfRun reads the usages at the end of a run. The usages in earlier RAW events count only if
// the end has none.
func (d *decoder) usageOfRun(list []byte) {
	if last, n := d.usages(run{d.RunID, d.run.span}, list); n > 0 {
		d.run.counted = nil
		if n == 1 && last.Model != "" {
			d.SetModel(last.Model, last.Provider)
		}
	}
	d.countRaw()
}

// usages reads the usages of a run. It returns the last one and their number.
func (d *decoder) usages(of run, list []byte) (last *dialect.Usage, n int) {
	dialect.RawElements(list, func(one []byte) bool {
		if u := d.usage(of, one, n); u != nil {
			last = u
			n++
		}
		return n < usageLimit
	})
	return last, n
}

// usage reads the nth usage of a run. Its id is the same in every stream with the run.
func (d *decoder) usage(of run, raw []byte, n int) *dialect.Usage {
	id := "usage:" + of.id + ":" + strconv.Itoa(n)
	if of.id == "" {
		id = d.ID("usage")
	}
	u := d.Use(&counting, id, id, of.span, raw)
	if u == nil {
		return nil
	}
	u.Session, u.Run = of.span.Session, of.span.Run
	u.Model, u.Provider = string(dialect.RawText(raw, "model")), string(dialect.RawText(raw, "provider"))
	if u.Provider == "" {
		u.Provider = dialect.ProviderOf(u.Model)
	}
	return u
}

// rawUsage reads a RAW event with usage. Agents sent it before the protocol had usage at the end of
// runs. It counts only if the end has none.
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

// countRaw records the usages in RAW events.
func (d *decoder) countRaw() {
	for n, one := range d.run.counted {
		d.usage(run{d.RunID, d.run.span}, one, n)
	}
	d.run.counted = nil
}

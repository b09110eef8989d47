package loom

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how Loom counts: prompt_tokens includes tokens from a cache, completion_tokens
// includes reasoning.
var counting = dialect.Counting{
	Input: "prompt_tokens", CacheRead: "prompt_tokens_details.cached_tokens", InputHoldsCache: true,
	Output: "completion_tokens", Reasoning: "completion_tokens_details.reasoning_tokens", OutputHoldsReasoning: true,
	Total: "total_tokens", Mode: schema.UsageAdd,
}

// costs reads a usage event: the tokens of one call, which it ends.
func (d *decoder) costs(r *run, e *event) {
	n := r.of(e, false)
	call := r.uncosted
	if call != nil && n.Call() == nil && r.uncostedNode == string(e.node) {
		r.uncosted = nil // its usage came late
	} else {
		known := n.Call() != nil || n.free != 0
		if call = r.callIn(n, nil); !known {
			call.Started = 0 // only its end was seen
		}
		n.endCall(schema.StatusOK, "")
		if n.free != 0 {
			n.free = d.Frame.At
		}
	}
	r.use(d.shared("usage"), call, e.raw).Node = call.Node
	r.sums.add(e.o)
}

// use records the usage of a call or of the whole run.
func (r *run) use(id string, span *dialect.Span, raw []byte) *dialect.Usage {
	tokens, total, _ := counting.Read(raw)
	u := r.UseTokens(id, span.ID, span, counting.Mode, tokens)
	u.Total, u.Raw = total, string(raw)
	return u
}

// totals reads a run_end's usage. It repeats the usage events and is never added to them. A
// difference becomes an attribute of the run. Without usage events it is the run's usage.
func (d *decoder) totals(r *run, o *object) {
	raw, whole := o.member[fTotalUsage], true
	if !isObject(raw) {
		raw, whole = o.member[fUsage], false // of the latest call
	}
	switch {
	case !isObject(raw):
	case r.sums.calls == 0:
		r.use(d.ID("usage"), r.Run(), raw)
	case whole:
		d.payload.read(raw)
		if difference := r.sums.difference(&d.payload); difference != "" {
			r.attrs.AddRaw("total_usage", raw)
			r.attrs.AddRaw("usage_difference", []byte(difference))
		}
		d.payload.clear()
	}
}

// summed are the counts of a usage that add up over a run.
var summed = [...]field{fPrompt, fCompletion, fTotal}

// sums are the sums of a run's usage events.
type sums struct {
	calls  int
	counts [len(summed)]uint64
}

func (s *sums) add(usage *object) {
	s.calls++
	for i, f := range summed {
		n, _ := dialect.RawUint(usage.member[f])
		s.counts[i] += n
	}
}

// difference returns what a run_end's total has beyond the sum of the events, as a JSON object, or
// "" if they agree.
func (s *sums) difference(total *object) string {
	var stated sums
	stated.add(total)
	if stated.counts == s.counts {
		return ""
	}
	var text dialect.Attributes
	for i, f := range summed {
		text.AddRaw(fieldNames[f], []byte(strconv.FormatInt(int64(stated.counts[i]-s.counts[i]), 10)))
	}
	return text.Text()
}

package assert

import (
	"cmp"
	"slices"
	"time"

	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// measure is a duration with the moment at which it began.
type measure struct {
	length time.Duration
	at     *Moment
}

// times checks the conditions on durations.
func (k *check) times(c *Conditions) {
	k.within("duration", c.Duration, []measure{{time.Duration(k.head.DurationMS * 1e6), k.end()}}, "")
	k.within("first_token", c.FirstToken, k.firstTokens(), "no call of a model has a first token at a measured time")
	k.within("longest_gap", c.LongestGap, k.gaps(), "no call of a model came in more than one chunk")
	var silence []measure
	if !k.silence.after.IsZero() {
		silence = append(silence, measure{k.silence.length, k.moment(k.silence.after.At, k.silence.after, k.inProgress(k.silence.after.At))})
	}
	k.within("silence", c.Silence, silence, "there is only one frame")
}

// within checks that all measures are within bounds. The assertion has the measure that is furthest out
// of them, or the longest one. Without measures it fails, for the reason none.
func (k *check) within(name string, r *Range[time.Duration], list []measure, none string) {
	if r == nil {
		return
	}
	expected := rangeText(r, durationText)
	if len(list) == 0 {
		k.add(name, false, expected, none, nil)
		return
	}
	byLength := func(a, b measure) int { return cmp.Compare(a.length, b.length) }
	found := slices.MaxFunc(list, byLength)
	if shortest := slices.MinFunc(list, byLength); r.Holds(found.length) && !r.Holds(shortest.length) {
		found = shortest
	}
	k.add(name, r.Holds(found.length), expected, durationText(found.length), found.at)
}

// firstTokens returns the times to the first token of the calls of models that have one.
func (k *check) firstTokens() (list []measure) {
	for _, sp := range k.ofKind(schema.SpanLLM) {
		if sp.Started != 0 && sp.FirstToken > sp.Begin() {
			list = append(list, measure{time.Duration(sp.FirstToken - sp.Begin()), k.spanMoment(sp)})
		}
	}
	return list
}

// gaps returns the longest gap of each call of a model that came in more than one chunk. Chunks are those
// of its text, its thinking and the arguments of its tool calls, as in query/sql/calls.sql.
func (k *check) gaps() (list []measure) {
	calls := k.ofKind(schema.SpanLLM)
	chunks := map[*spanmerge.Span][]int64{}
	for i := range k.Messages {
		m := &k.Messages[i]
		if m.Text == "" {
			continue
		}
		var of *spanmerge.Span
		switch m.Kind {
		case schema.MessageAssistant, schema.MessageThinking:
			of = k.spans[m.Span]
		case schema.MessageArguments:
			of = callAt(calls, m.Run, m.Node, m.Started)
		}
		if of == nil || of.Kind != string(schema.SpanLLM) {
			continue
		}
		if len(m.ChunkAt) == 0 {
			chunks[of] = append(chunks[of], m.Started)
		}
		chunks[of] = append(chunks[of], m.ChunkAt...)
	}
	for _, call := range calls {
		at := chunks[call]
		slices.Sort(at)
		var longest measure
		for i := 1; i < len(at); i++ {
			if gap := time.Duration(at[i] - at[i-1]); longest.at == nil || gap > longest.length {
				longest = measure{gap, k.moment(at[i-1], schema.Position{}, call.ID)}
			}
		}
		if longest.at != nil {
			list = append(list, longest)
		}
	}
	return list
}

// callAt returns the call of a run and node that began last before a time and had not ended, or nil.
func callAt(calls []*spanmerge.Span, run, node string, at int64) (found *spanmerge.Span) {
	for _, c := range calls {
		if c.Run == run && c.Node == node && c.Started != 0 && c.Started <= at && (found == nil || c.Started >= found.Started) {
			found = c
		}
	}
	if found != nil && found.Ended != 0 && at > found.Ended {
		return nil
	}
	return found
}

// inProgress returns the id of the span in progress at a time that began last; "" if there is none.
func (k *check) inProgress(at int64) (id string) {
	for i := range k.Spans { // ordered by start
		sp := &k.Spans[i]
		if sp.Begin() <= at && (sp.Open() || sp.Ended > at) {
			id = sp.ID
		}
	}
	return id
}

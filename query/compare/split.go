package compare

import (
	"cmp"
	"slices"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
)

// Split divides the duration of a step into parts, ms. An unknown part is null.
type Split struct {
	// WaitingMS is before the step, while no other step was in progress: none that contains no others, and no tool call
	// that does, such as one of a sub-agent.
	WaitingMS    *float64 `json:"waiting_ms"`
	FirstTokenMS *float64 `json:"first_token_ms"` // from a call of a model to its first output
	// GenerationMS is from the first output, or the start if no output was recorded, to the end.
	GenerationMS *float64 `json:"generation_ms"`
	// ToolMS is the duration of a tool call; of one that contains steps, without those in which one of them was in
	// progress.
	ToolMS *float64 `json:"tool_ms"`
}

// measure sets the splits of all steps that contain no others, and of tool calls that do.
func measure(all []*step) {
	leaves := make([]*step, 0, len(all))
	var calls []*step // of tools, with steps inside
	for _, st := range all {
		switch {
		case len(st.children) == 0:
			leaves = append(leaves, st)
		case st.kind == KindTool && st.end > st.begin:
			calls = append(calls, st)
		}
	}
	byBegin := func(a, b *step) int { return cmp.Compare(a.begin, b.begin) }
	slices.SortStableFunc(leaves, byBegin)
	slices.SortStableFunc(calls, byBegin)
	for _, call := range calls {
		call.split.ToolMS = query.KnownMillis(call.end-call.begin-inside(call), true)
	}
	busy := int64(0) // the latest end of the steps so far
	for i, st := range leaves {
		if i > 0 {
			// The calls that began before the step are in progress until their ends.
			waiting := int64(0)
			for len(calls) > 0 && calls[0].begin < st.begin {
				waiting += max(calls[0].begin-busy, 0)
				busy, calls = max(busy, calls[0].end), calls[1:]
			}
			st.split.WaitingMS = query.KnownMillis(waiting+max(st.begin-busy, 0), true)
		}
		busy = max(busy, st.begin, st.end)
		if st.end == 0 {
			continue
		}
		took := st.end - st.begin
		switch st.kind {
		case KindTool:
			st.split.ToolMS = query.KnownMillis(took, true)
		case KindModel:
			if st.first != 0 {
				st.split.FirstTokenMS = query.KnownMillis(st.first-st.begin, true)
				took = max(st.end-st.first, 0)
			}
			st.split.GenerationMS = query.KnownMillis(took, true)
		case KindAssistant:
			st.split.GenerationMS = query.KnownMillis(took, true)
		}
	}
}

// inside returns how long steps inside a tool call were in progress, ns: those that contain no others, and tool calls.
func inside(of *step) (sum int64) {
	var list []*step
	var find func(*step)
	find = func(st *step) {
		for _, c := range st.children {
			if len(c.children) == 0 || c.kind == KindTool && c.end > c.begin {
				list = append(list, c)
			} else {
				find(c)
			}
		}
	}
	find(of)
	slices.SortFunc(list, func(a, b *step) int { return cmp.Compare(a.begin, b.begin) })
	busy := of.begin
	for _, st := range list {
		from, to := max(st.begin, busy), min(st.end, of.end)
		sum += max(to-from, 0)
		busy = max(busy, to)
	}
	return sum
}

func (s *Split) add(o *Split) {
	for _, f := range []struct {
		to   **float64
		more *float64
	}{{&s.WaitingMS, o.WaitingMS}, {&s.FirstTokenMS, o.FirstTokenMS},
		{&s.GenerationMS, o.GenerationMS}, {&s.ToolMS, o.ToolMS}} {
		if f.more == nil {
			continue
		}
		sum := *f.more
		if *f.to != nil {
			sum += **f.to
		}
		*f.to = &sum
	}
}

// minus returns s minus o for each part that is known in both.
func (s Split) minus(o Split) Split {
	return Split{
		longer(s.WaitingMS, o.WaitingMS), longer(s.FirstTokenMS, o.FirstTokenMS),
		longer(s.GenerationMS, o.GenerationMS), longer(s.ToolMS, o.ToolMS),
	}
}

func longer(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

// Totals holds the tokens and the cost of a step or a session.
type Totals struct {
	Tokens *cost.Tokens `json:"tokens"` // null if no usage was reported
	Cost   *cost.Money  `json:"cost"`   // null if unknown
}

func totalsOf(st *step) Totals {
	var s Totals
	for i := range st.usage {
		if s.Tokens == nil {
			s.Tokens = &cost.Tokens{}
		}
		s.Tokens.Add(st.usage[i].Tokens)
		s.Cost = cost.Sum(s.Cost, st.usage[i].Cost)
	}
	return s
}

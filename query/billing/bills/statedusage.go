package bills

import (
	"cmp"
	"slices"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// statedUsage is what a usage record adds to the usage of its session.
type statedUsage struct {
	Decoded
	quantities cost.Quantities
	position   string
}

type usageField struct{ name, value string }

// fields returns the fields on which a charge depends.
func (u *statedUsage) fields() []usageField {
	list := []usageField{{"model", u.Model}, {"provider", u.Provider}, {"service_tier", u.ServiceTier},
		{"speed", u.Speed}, {"region", u.Region}}
	for _, n := range counted(&u.quantities) {
		list = append(list, usageField{n.Part, strconv.FormatInt(n.N, 10)})
	}
	return list
}

// storedUsage returns the same fields of a stored charge.
func storedUsage(c *charges.Charge) []string {
	list := []string{query.Text(c.Model), query.Text(c.Provider), c.ServiceTier, c.Speed, c.Region}
	for _, n := range counted(&c.Quantities) {
		list = append(list, strconv.FormatInt(n.N, 10))
	}
	return list
}

func counted(q *cost.Quantities) []cost.Count {
	return append([]cost.Count{
		{Part: "input", N: q.Input}, {Part: "cache_read", N: q.CacheRead}, {Part: "cache_write_5m", N: q.CacheWrite5m},
		{Part: "cache_write_1h", N: q.CacheWrite1h}, {Part: "output", N: q.Output}, {Part: "reasoning", N: q.Reasoning},
	}, q.Counts()...)
}

// combine returns what each usage record of a session adds to the session's usage, by the rules of
// sql/usage_records.sql. Of several records with one id the last one counts. A running total adds
// its difference to the previous total of its scope; a lower total counts whole.
func combine(records []Decoded) []*statedUsage {
	slices.SortFunc(records, func(a, b Decoded) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.Version, a.Version), cmp.Compare(b.StreamID, a.StreamID))
	})
	seen := map[string]bool{}
	var list []*statedUsage
	for _, r := range records {
		if !seen[r.ID] {
			seen[r.ID] = true
			list = append(list,
				&statedUsage{Decoded: r,
					position: schema.Position{At: r.At, StreamID: r.StreamID, Seq: r.Version - 1}.String()})
		}
	}
	slices.SortFunc(list, func(a, b *statedUsage) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.ID, b.ID))
	})
	last := map[string]*schema.Usage{}
	for _, u := range list {
		u.quantities = quantities(&u.Usage)
		if u.Mode != schema.UsageRunning {
			continue
		}
		if before := last[u.Scope]; before != nil && u.Tokens.Sum() >= before.Tokens.Sum() {
			u.quantities = less(u.quantities, quantities(before))
		}
		last[u.Scope] = &u.Usage
	}
	return list
}

func quantities(u *schema.Usage) cost.Quantities {
	t, p := &u.Tokens, &u.Parts
	return cost.Quantities{
		Input: int64(t.Input), CacheRead: int64(t.CacheRead),
		CacheWrite5m: int64(t.CacheWrite5m), CacheWrite1h: int64(t.CacheWrite1h),
		Output: int64(t.Output), Reasoning: int64(t.Reasoning),
		Parts: cost.Parts{
			InputAudio: int64(p.Input.Audio), InputImage: int64(p.Input.Image), InputVideo: int64(p.Input.Video),
			CacheReadAudio: int64(p.CacheRead.Audio), CacheReadImage: int64(p.CacheRead.Image),
			CacheReadVideo: int64(p.CacheRead.Video),
			OutputAudio:    int64(p.Output.Audio), OutputImage: int64(p.Output.Image), OutputVideo: int64(p.Output.Video),
			WebSearches: int64(u.Tools.WebSearches), CodeExecutions: int64(u.Tools.CodeExecutions),
		},
	}
}

func less(a, b cost.Quantities) cost.Quantities {
	a.Input, a.CacheRead = a.Input-b.Input, a.CacheRead-b.CacheRead
	a.CacheWrite5m, a.CacheWrite1h = a.CacheWrite5m-b.CacheWrite5m, a.CacheWrite1h-b.CacheWrite1h
	a.Output, a.Reasoning = a.Output-b.Output, a.Reasoning-b.Reasoning
	a.Parts = a.Less(b.Parts)
	return a
}

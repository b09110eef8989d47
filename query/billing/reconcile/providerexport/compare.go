package providerexport

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/query"
)

// Compare compares an export with the recorded usage of its range.
func Compare(e *Export, recorded []Recorded) *Comparison {
	c := &Comparison{
		Provider: e.Provider, Kind: e.Kind, Format: e.Format, From: e.From, To: e.To, Rows: e.Rows, HasMore: e.HasMore,
		ByModel: e.named > 0, States: map[State]uint64{}, Sums: []Sum{},
		Items: []Item{}, Unattributed: []Unattributed{},
	}
	if e.Currency != "" {
		c.Currency = &e.Currency
	}
	theirs := map[key]*cell{}
	models := map[string]bool{}
	for k, x := range e.cells {
		k.model = e.modelOf(k.model)
		models[k.model] = true
		if other := theirs[k]; other != nil {
			x = other.plus(x)
		}
		theirs[k] = x
	}
	ours, unattributed := e.own(recorded, models, c.ByModel)
	for _, model := range slices.Sorted(maps.Keys(unattributed)) {
		u := unattributed[model]
		u.Model = query.Named(model)
		c.Unattributed = append(c.Unattributed, u)
	}
	keys := slices.Collect(maps.Keys(theirs))
	for k := range ours {
		if theirs[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.model, b.model))
	})
	for i, bucket := range Buckets {
		if e.buckets[bucket] {
			c.compare(e, i, bucket, keys, ours, theirs)
		}
	}
	slices.SortStableFunc(c.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(query.Text(a.Model), query.Text(b.Model)))
	})
	return c
}

// compare adds the items and the sum of a bucket.
func (c *Comparison) compare(
	e *Export, i int, bucket Bucket, keys []key, ours map[key]*Recorded, theirs map[key]*cell,
) {
	sum := Sum{Bucket: bucket, Recorded: &decimal.Decimal{}}
	for _, k := range keys {
		item := Item{Day: k.day, Model: query.Named(k.model), Bucket: bucket}
		if x := theirs[k]; x != nil {
			item.Exported = x.figure(i, bucket)
		}
		item.Recorded = &decimal.Decimal{}
		if r := ours[k]; r != nil {
			item.Recorded = r.figure(bucket, e)
			if bucket == Money {
				item.UnpricedCalls = r.Unpriced
			}
		}
		if sum.Exported = sum.Exported.Add(item.Exported); item.Recorded == nil {
			sum.Recorded = nil
		} else if sum.Recorded != nil {
			total := sum.Recorded.Add(*item.Recorded)
			sum.Recorded = &total
		}
		if item.state(); item.State == "" {
			continue // both figures are 0
		}
		c.States[item.State]++
		c.Items = append(c.Items, item)
	}
	sum.Difference = less(sum.Recorded, sum.Exported)
	c.Sums = append(c.Sums, sum)
}

// less returns the difference a - b, or nil if a is unknown.
func less(a *decimal.Decimal, b decimal.Decimal) *decimal.Decimal {
	if a == nil {
		return nil
	}
	d := a.Sub(b)
	return &d
}

// state sets the state and the difference.
func (i *Item) state() {
	i.Difference = less(i.Recorded, i.Exported)
	switch {
	case i.Recorded == nil:
		i.State = Differs
	case i.Recorded.IsZero() && i.Exported.IsZero():
	case i.Difference.IsZero():
		i.State = Equal
	case i.Recorded.IsZero():
		i.State = OnlyExported
	case i.Exported.IsZero():
		i.State = OnlyRecorded
	default:
		i.State = Differs
	}
}

func (x *cell) plus(y *cell) *cell {
	z := &cell{cost: x.cost.Add(y.cost)}
	for i := range z.counts {
		z.counts[i] = x.counts[i] + y.counts[i]
	}
	return z
}

func (x *cell) figure(i int, bucket Bucket) decimal.Decimal {
	if bucket == Money {
		return x.cost
	}
	return decimal.NewFromInt(x.counts[i])
}

// figure returns a recorded figure as the export counts it: cache writes are input if the export
// does not separate them.
func (r *Recorded) figure(bucket Bucket, e *Export) *decimal.Decimal {
	t, n := &r.Tokens, int64(0)
	written := t.CacheWrite5m + t.CacheWrite1h
	switch bucket {
	case Calls:
		n = int64(r.Calls)
	case Input:
		if n = t.Input; !e.buckets[CacheWrite] && !e.buckets[CacheWrite5m] {
			n += written
		}
	case CacheRead:
		n = t.CacheRead
	case CacheWrite:
		n = written
	case CacheWrite5m:
		n = t.CacheWrite5m
	case CacheWrite1h:
		n = t.CacheWrite1h
	case Output:
		n = t.Output + t.Reasoning
	case Money:
		if r.Unpriced > 0 && r.Cost == nil || r.Cost == nil && t.Total != 0 {
			return nil
		}
		if r.Cost != nil {
			return r.Cost
		}
	}
	d := decimal.NewFromInt(n)
	return &d
}

// own returns the recorded usage of the export's provider by day and model, and the usage of
// unknown provider by model.
func (e *Export) own(
	recorded []Recorded, models map[string]bool, byModel bool,
) (map[key]*Recorded, map[string]Unattributed) {
	ours, unattributed := map[key]*Recorded{}, map[string]Unattributed{}
	for _, r := range recorded {
		if r.Day < e.From || r.Day > e.To {
			continue
		}
		model := e.modelOf(r.Model)
		if r.Provider == "" && !(model != "" && models[model]) {
			u := unattributed[r.Model]
			u.Calls, u.Tokens = u.Calls+r.Calls, u.Tokens+r.Tokens.Total
			unattributed[r.Model] = u
			continue
		}
		if r.Provider != "" && r.Provider != e.Provider {
			continue
		}
		if !byModel {
			model = ""
		}
		sum := ours[key{r.Day, model}]
		if sum == nil {
			sum = &Recorded{}
			ours[key{r.Day, model}] = sum
		}
		sum.add(r)
	}
	return ours, unattributed
}

func (r *Recorded) add(o Recorded) {
	r.Calls += o.Calls
	r.Tokens.Add(o.Tokens)
	r.Unpriced += o.Unpriced
	if o.Cost != nil {
		sum := *o.Cost
		if r.Cost != nil {
			sum = sum.Add(*r.Cost)
		}
		r.Cost = &sum
	}
}

var (
	dated       = regexp.MustCompile(`[-@ ]20[0-9]{2}-?[0-9]{2}-?[0-9]{2}$`)
	notInAModel = regexp.MustCompile(`[^a-z0-9]+`)
)

// modelOf returns the name by which models are compared. An export with display names has no dates
// in them: claude-haiku-4-5-20251001 is Claude Haiku 4.5 there.
func (e *Export) modelOf(model string) string {
	if !e.displayNames {
		return model
	}
	model = dated.ReplaceAllString(strings.ToLower(model), "")
	return strings.Trim(notInAModel.ReplaceAllString(model, "-"), "-")
}

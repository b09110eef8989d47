package assert

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/internal/console"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

const noUsage = "unknown: the recording states no usage"

// tokens checks the sum of all tokens. It fails at the record with which the sum exceeds the bound. A source may
// state any figures: the sum does not overflow.
func (k *check) tokens(r *Range[int64]) {
	if r == nil {
		return
	}
	if len(k.Usage) == 0 {
		k.add("tokens", false, rangeText(r, countText), noUsage, nil)
		return
	}
	total, at := new(big.Int), (*Moment)(nil)
	for i := range k.Usage {
		t := &k.Usage[i].Tokens
		for _, n := range []int64{t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning} {
			total.Add(total, big.NewInt(n))
		}
		if at == nil && r.Max != nil && bounded(total) > *r.Max {
			at = k.usageMoment(&k.Usage[i])
		}
	}
	if at == nil {
		at = k.end()
	}
	sum := bounded(total)
	k.add("tokens", r.Holds(sum), rangeText(r, countText), countText(sum), at)
}

// bounded returns a number, or the nearest one that an int64 can hold.
func bounded(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func (k *check) usageMoment(u *usagerecord.Record) *Moment {
	return k.moment(u.At.UnixNano(), schema.Position{}, u.SpanID)
}

// cost checks the sum of all costs. It fails if a cost is unknown, at the first record without a price.
func (k *check) cost(c *Cost) {
	if c == nil {
		return
	}
	expected := c.text()
	if len(k.Usage) == 0 {
		k.add("cost", false, expected, noUsage, nil)
		return
	}
	if i := slices.IndexFunc(k.Usage, func(u usagerecord.Record) bool { return u.Unpriced != nil }); i >= 0 {
		k.add("cost", false, expected, k.unpriced(i), k.usageMoment(&k.Usage[i]))
		return
	}
	sum, currency, at := decimal.Zero, c.Currency, (*Moment)(nil)
	for i := range k.Usage {
		u := &k.Usage[i]
		if u.Cost == nil {
			continue // a record without tokens
		}
		if sum, currency = sum.Add(u.Cost.Amount), u.Cost.Currency; at == nil && c.Max != nil && sum.GreaterThan(*c.Max) {
			at = k.usageMoment(u)
		}
	}
	if at == nil {
		at = k.end()
	}
	actual := sum.String() + " " + currency
	passed := (c.Min == nil || !sum.LessThan(*c.Min)) && (c.Max == nil || !sum.GreaterThan(*c.Max))
	if c.Currency != "" && c.Currency != currency {
		passed, actual, at = false, actual+": the prices have another currency", nil
	}
	k.add("cost", passed, expected, actual, at)
}

func (c *Cost) text() string {
	unit := ""
	if c.Currency != "" {
		unit = " " + c.Currency
	}
	switch {
	case c.Min != nil && c.Max != nil:
		return c.Min.String() + " to " + c.Max.String() + unit
	case c.Min != nil:
		return "at least " + c.Min.String() + unit
	case c.Max != nil:
		return "at most " + c.Max.String() + unit
	}
	return "known"
}

// unpriced describes the records without a price, of which the first is the one at i.
func (k *check) unpriced(i int) string {
	n := 0
	for j := range k.Usage {
		if k.Usage[j].Unpriced != nil {
			n++
		}
	}
	model := "no model"
	if k.Usage[i].Model != nil {
		model = *k.Usage[i].Model
	}
	return fmt.Sprintf("unknown: %d of %s without a price (%s, %s)", n, console.Count(len(k.Usage), "usage record"), model,
		*k.Usage[i].Unpriced)
}

package assert

import (
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/internal/console"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

const noUsage = "unknown: the recording states no usage"

// tokens checks the sum of all tokens. It fails at the record with which the sum exceeds the bound.
func (k *check) tokens(r *Range[int64]) {
	if r == nil {
		return
	}
	if len(k.Usage) == 0 {
		k.add("tokens", false, rangeText(r, countText), noUsage, nil)
		return
	}
	sum, at := int64(0), (*Moment)(nil)
	for i := range k.Usage {
		sum += k.Usage[i].Tokens.Total
		if at == nil && r.Max != nil && sum > *r.Max {
			at = k.usageMoment(&k.Usage[i])
		}
	}
	if at == nil {
		at = k.end()
	}
	k.add("tokens", r.Holds(sum), rangeText(r, countText), countText(sum), at)
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

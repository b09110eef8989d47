package cost

// UsageTotals holds the usage and the cost of a group of model calls.
type UsageTotals struct {
	Calls  uint64 `json:"calls"` // usage records of single calls: one for each call that the source reports
	Tokens Tokens `json:"tokens"`
	// Cost is the cost of the calls with a known price, at the prices at the time of each call;
	// null if no call has a known price.
	Cost           *Money     `json:"cost"`
	UnpricedCalls  uint64     `json:"unpriced_calls"`             // calls that Cost does not include
	UnpricedTokens int64      `json:"unpriced_tokens"`            // tokens that Cost does not include
	Unpriced       []Unpriced `json:"unpriced_reasons,omitempty"` // why
	// Inexact are the calls of Cost that were priced as calls of another model.
	Inexact []Inexact `json:"priced_as,omitempty"`
	// Discrepancies counts the records that state a total which is not the sum of their
	// buckets.
	Discrepancies uint64 `json:"usage_discrepancies"`
}

// Reported reports whether any usage was reported. If not, the zeros of t mean that the figures are
// unknown.
func (t *UsageTotals) Reported() bool { return t.Calls > 0 || t.Tokens != Tokens{} }

// Add adds the totals of other calls.
func (t *UsageTotals) Add(o UsageTotals) {
	t.Calls += o.Calls
	t.Tokens.Add(o.Tokens)
	t.Cost = Sum(t.Cost, o.Cost)
	t.UnpricedCalls += o.UnpricedCalls
	t.UnpricedTokens += o.UnpricedTokens
	t.Unpriced = Merge(t.Unpriced, o.Unpriced)
	t.Inexact = mergeInexact(t.Inexact, o.Inexact)
	t.Discrepancies += o.Discrepancies
}

// TotalsRow is a cell as the templates "cell_columns" and "sums" select it.
type TotalsRow struct {
	Cell
	Mismatches uint64 `ch:"mismatches"`
}

// Totals returns the usage and the cost of the cell's calls.
func (r *TotalsRow) Totals(p *Pricer) UsageTotals {
	f := p.Of(&r.Cell)
	q := &r.Quantities
	return UsageTotals{
		Calls: q.Calls, Tokens: TokensOf(q.Input, q.CacheRead, q.CacheWrite5m, q.CacheWrite1h, q.Output, q.Reasoning),
		Cost: f.Cost, UnpricedCalls: f.UnpricedCalls, UnpricedTokens: f.UnpricedTokens,
		Unpriced: f.Unpriced, Inexact: f.Inexact,
		Discrepancies: r.Mismatches,
	}
}

// SumsRow is a row as the template "sums" in query/sql/usage_records.sql selects it.
type SumsRow struct {
	Quantities
	Mismatches uint64 `ch:"mismatches"`
}

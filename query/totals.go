package query

import "tapedeck/query/pricing/cost"

// Spent is what a group of model calls used and cost.
type Spent struct {
	Calls  uint64 `json:"calls"` // usage records that stand for calls: one each, where the source reports each
	Tokens Tokens `json:"tokens"`
	// Cost is what the calls with a known price cost at the prices of their time; null if
	// there is none.
	Cost           *cost.Money     `json:"cost"`
	UnpricedCalls  uint64          `json:"unpriced_calls"`             // calls that Cost does not include
	UnpricedTokens int64           `json:"unpriced_tokens"`            // tokens that Cost does not include
	Unpriced       []cost.Unpriced `json:"unpriced_reasons,omitempty"` // why
	// Discrepancies is how many records state a total that is not the sum of
	// their buckets.
	Discrepancies uint64 `json:"usage_discrepancies"`
}

// Reported reports whether any usage was reported; otherwise its zeros stand for figures
// that are not known.
func (s *Spent) Reported() bool { return s.Calls > 0 || s.Tokens != Tokens{} }

// Add adds what other calls used and cost.
func (s *Spent) Add(o Spent) {
	s.Calls += o.Calls
	s.Tokens.Add(o.Tokens)
	s.Cost = cost.Sum(s.Cost, o.Cost)
	s.UnpricedCalls += o.UnpricedCalls
	s.UnpricedTokens += o.UnpricedTokens
	s.Unpriced = cost.Merge(s.Unpriced, o.Unpriced)
	s.Discrepancies += o.Discrepancies
}

// SpentRow is a cell as the templates "cell_columns" and "sums" select it.
type SpentRow struct {
	cost.Cell
	Mismatches uint64 `ch:"mismatches"`
}

// Spent returns what the calls of the cell used and cost.
func (r *SpentRow) Spent(p *cost.Pricer) Spent {
	f := p.Of(&r.Cell)
	q := &r.Quantities
	return Spent{
		Calls: q.Calls, Tokens: TokensOf(q.Input, q.CacheRead, q.CacheWrite5m, q.CacheWrite1h, q.Output, q.Reasoning),
		Cost: f.Cost, UnpricedCalls: f.UnpricedCalls, UnpricedTokens: f.UnpricedTokens, Unpriced: f.Unpriced,
		Discrepancies: r.Mismatches,
	}
}

// SumsRow is what the template "sums" in sql/usage_records.sql returns.
type SumsRow struct {
	cost.Quantities
	Mismatches uint64 `ch:"mismatches"`
}

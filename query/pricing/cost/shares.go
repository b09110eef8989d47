package cost

import "github.com/shopspring/decimal"

// Shares are the parts of a cost: the costs of the tokens of each bucket, of calls by themselves,
// and of uses of tools that the provider runs. Their sum is the cost. JSON omits shares that are 0.
type Shares struct {
	Input          decimal.Decimal `json:"input,omitzero"`
	CacheRead      decimal.Decimal `json:"cache_read,omitzero"`
	CacheWrite5m   decimal.Decimal `json:"cache_write_5m,omitzero"`
	CacheWrite1h   decimal.Decimal `json:"cache_write_1h,omitzero"`
	Output         decimal.Decimal `json:"output,omitzero"`
	Reasoning      decimal.Decimal `json:"reasoning,omitzero"`
	Calls          decimal.Decimal `json:"calls,omitzero"`
	WebSearches    decimal.Decimal `json:"web_searches,omitzero"`
	CodeExecutions decimal.Decimal `json:"code_executions,omitzero"`
}

// Shares returns the parts of the cost of a cell; nil if the cost is unknown. The share of a bucket
// is the cost of all its tokens, including audio, images and video.
func (p *Pricer) Shares(c *Cell) *Shares {
	r, known := p.Rates(c)
	if !known {
		return nil
	}
	var s Shares
	s.Calls = r.Call.Mul(decimal.NewFromUint64(c.Calls))
	buckets := s.buckets()
	for i, n := range c.buckets() {
		*buckets[i] = r.Tokens[i].Mul(decimal.NewFromInt(n))
	}
	for i, n := range c.fields() {
		more := r.Parts[i].Mul(decimal.NewFromInt(*n))
		share := &s.CodeExecutions
		switch {
		case parts[i].bucket >= 0:
			share = buckets[parts[i].bucket]
		case parts[i].column == "web_searches":
			share = &s.WebSearches
		}
		*share = share.Add(more)
	}
	return &s
}

// Sum returns the sum of the shares.
func (s *Shares) Sum() decimal.Decimal {
	sum := s.Calls.Add(s.WebSearches).Add(s.CodeExecutions)
	for _, share := range s.buckets() {
		sum = sum.Add(*share)
	}
	return sum
}

// buckets returns the shares of the buckets, in the order of Quantities.buckets.
func (s *Shares) buckets() [6]*decimal.Decimal {
	return [...]*decimal.Decimal{&s.Input, &s.CacheRead, &s.CacheWrite5m, &s.CacheWrite1h, &s.Output, &s.Reasoning}
}

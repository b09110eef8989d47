package cost

import (
	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// Quantities are sums over the usage records of a cell, in disjoint buckets.
type Quantities struct {
	Calls        uint64 `ch:"calls"` // number of records of single calls
	Input        int64  `ch:"input_sum"`
	CacheRead    int64  `ch:"cache_read_sum"`
	CacheWrite5m int64  `ch:"cache_write_5m_sum"`
	CacheWrite1h int64  `ch:"cache_write_1h_sum"`
	Output       int64  `ch:"output_sum"`
	Reasoning    int64  `ch:"reasoning_sum"`
	Parts
}

// Prompt returns all input tokens, including cache tokens.
func (q *Quantities) Prompt() int64 { return q.Input + q.CacheRead + q.CacheWrite5m + q.CacheWrite1h }

// Tokens returns all tokens.
func (q *Quantities) Tokens() int64 { return q.Prompt() + q.Output + q.Reasoning }

// Usage returns the quantities by unit.
func (q *Quantities) Usage() prices.Usage {
	used := prices.Usage{}
	for unit, n := range map[string]int64{
		prices.InputTokens:        q.Prompt(),
		prices.CacheReadTokens:    q.CacheRead,
		prices.CacheWriteTokens:   q.CacheWrite5m + q.CacheWrite1h,
		prices.CacheWrite5mTokens: q.CacheWrite5m,
		prices.CacheWrite1hTokens: q.CacheWrite1h,
		prices.OutputTokens:       q.Output + q.Reasoning,
		prices.ReasoningTokens:    q.Reasoning,
	} {
		if n != 0 {
			used[unit] = decimal.NewFromInt(n)
		}
	}
	for i, n := range q.fields() {
		if *n == 0 {
			continue
		}
		for _, unit := range parts[i].units {
			used[unit] = used[unit].Add(decimal.NewFromInt(*n))
		}
	}
	return used
}

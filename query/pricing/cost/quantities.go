package cost

import (
	"slices"

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

// bucketUnits are the indexes of the units of buckets and of their sums, in the order of counts.
var bucketUnits = [...]int{
	prices.IndexOf(prices.InputTokens), prices.IndexOf(prices.CacheReadTokens), prices.IndexOf(prices.CacheWriteTokens),
	prices.IndexOf(prices.CacheWrite5mTokens), prices.IndexOf(prices.CacheWrite1hTokens),
	prices.IndexOf(prices.OutputTokens), prices.IndexOf(prices.ReasoningTokens),
}

// partUnits are the units of the parts.
var partUnits = func() (units [len(parts)][]int) {
	for i := range parts {
		for _, name := range parts[i].units {
			units[i] = append(units[i], prices.IndexOf(name))
		}
	}
	return units
}()

// unitCounts is the largest number of counts of Quantities.
const unitCounts = len(bucketUnits) + 2*len(parts)

// counts appends the quantities by unit, as Usage returns them, without those that are 0.
func (q *Quantities) counts(list []prices.Count) []prices.Count {
	for i, n := range [...]int64{
		q.Prompt(), q.CacheRead, q.CacheWrite5m + q.CacheWrite1h, q.CacheWrite5m, q.CacheWrite1h,
		q.Output + q.Reasoning, q.Reasoning,
	} {
		if n != 0 {
			list = append(list, prices.Count{Unit: bucketUnits[i], N: n})
		}
	}
	first := len(list)
	for i, n := range q.fields() {
		if *n == 0 {
			continue
		}
		for _, unit := range partUnits[i] {
			j := slices.IndexFunc(list[first:], func(c prices.Count) bool { return c.Unit == unit })
			if j < 0 {
				list = append(list, prices.Count{Unit: unit, N: *n})
				continue
			}
			list[first+j].N += *n
		}
	}
	return list
}

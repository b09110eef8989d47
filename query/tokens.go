package query

// Tokens counts tokens in disjoint buckets. Of a record that is a running total
// it is what the record adds to the one before it.
type Tokens struct {
	Input        int64 `json:"input"` // not from a cache, and not written to one
	CacheRead    int64 `json:"cache_read"`
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"` // without reasoning
	Reasoning    int64 `json:"reasoning"`
	Total        int64 `json:"total"` // the sum of the others
}

func (t *Tokens) Add(u Tokens) {
	t.Input += u.Input
	t.CacheRead += u.CacheRead
	t.CacheWrite5m += u.CacheWrite5m
	t.CacheWrite1h += u.CacheWrite1h
	t.Output += u.Output
	t.Reasoning += u.Reasoning
	t.Total += u.Total
}

// Spent is what a group of model calls used and cost.
type Spent struct {
	Calls  uint64 `json:"calls"` // usage records that stand for calls: one each, where the source reports each
	Tokens Tokens `json:"tokens"`
	// Cost is in US dollars; null while no call has a price.
	Cost          *float64 `json:"cost"`
	UnpricedCalls uint64   `json:"unpriced_calls"` // calls that Cost does not hold
	// Discrepancies is how many records state a total that is not the sum of
	// their buckets.
	Discrepancies uint64 `json:"usage_discrepancies"`
}

// Reported reports whether any usage was reported; otherwise its zeros stand for figures
// that are not known.
func (s *Spent) Reported() bool { return s.Calls > 0 || s.Tokens != Tokens{} }

func (s *Spent) Add(o Spent) {
	s.Calls += o.Calls
	s.Tokens.Add(o.Tokens)
	s.UnpricedCalls += o.UnpricedCalls
	s.Discrepancies += o.Discrepancies
	if o.Cost != nil {
		sum := *o.Cost
		if s.Cost != nil {
			sum += *s.Cost
		}
		s.Cost = &sum
	}
}

// SumsRow is what the template "sums" in sql/usage_records.sql returns.
type SumsRow struct {
	Calls        uint64 `ch:"calls"`
	Input        int64  `ch:"input_sum"`
	CacheRead    int64  `ch:"cache_read_sum"`
	CacheWrite5m int64  `ch:"cache_write_5m_sum"`
	CacheWrite1h int64  `ch:"cache_write_1h_sum"`
	Output       int64  `ch:"output_sum"`
	Reasoning    int64  `ch:"reasoning_sum"`
	Mismatches   uint64 `ch:"mismatches"`
}

// Spent prices nothing so far: every call is without a price.
func (r *SumsRow) Spent() Spent {
	return Spent{
		Calls: r.Calls, UnpricedCalls: r.Calls, Discrepancies: r.Mismatches,
		Tokens: TokensOf(r.Input, r.CacheRead, r.CacheWrite5m, r.CacheWrite1h, r.Output, r.Reasoning),
	}
}

func TokensOf(input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning int64) Tokens {
	return Tokens{
		Input: input, CacheRead: cacheRead, CacheWrite5m: cacheWrite5m, CacheWrite1h: cacheWrite1h,
		Output: output, Reasoning: reasoning,
		Total: input + cacheRead + cacheWrite5m + cacheWrite1h + output + reasoning,
	}
}

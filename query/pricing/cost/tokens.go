package cost

// Tokens counts tokens in disjoint buckets. For a running total it counts the difference to the
// previous total.
type Tokens struct {
	Input        int64 `json:"input"` // neither read from a cache nor written to it
	CacheRead    int64 `json:"cache_read"`
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"` // without reasoning
	Reasoning    int64 `json:"reasoning"`
	Total        int64 `json:"total"` // the sum of the others
}

// Add adds the tokens of u.
func (t *Tokens) Add(u Tokens) {
	t.Input += u.Input
	t.CacheRead += u.CacheRead
	t.CacheWrite5m += u.CacheWrite5m
	t.CacheWrite1h += u.CacheWrite1h
	t.Output += u.Output
	t.Reasoning += u.Reasoning
	t.Total += u.Total
}

// TokensOf returns the tokens of the buckets and their sum.
func TokensOf(input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning int64) Tokens {
	return Tokens{
		Input: input, CacheRead: cacheRead, CacheWrite5m: cacheWrite5m, CacheWrite1h: cacheWrite1h,
		Output: output, Reasoning: reasoning,
		Total: input + cacheRead + cacheWrite5m + cacheWrite1h + output + reasoning,
	}
}

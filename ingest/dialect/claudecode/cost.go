package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// stateCosts reads the costs that a result states by model (modelUsage): the sum over a model's
// calls since Claude Code was started, including those of helpers and sub-agents. A cost is set on
// a usage only if the usage is everything that the model used. Other costs, and total_cost_usd,
// remain attributes of the run.
func (s *session) stateCosts(modelUsage []byte) {
	models, ok := dialect.MembersOf(modelUsage)
	for ok {
		var name, stated []byte
		if name, stated, ok = models.Next(); !ok {
			return
		}
		u := s.only(string(name))
		tokens, _, counts := modelCounting.Read(stated)
		cost := dialect.RawMember(stated, "costUSD")
		if u == nil || !counts || cost == nil || !same(u.Tokens, tokens) {
			continue
		}
		u.StateCost(dialect.Alias(cost), "USD")
		s.Emitter.ChangedUsage(u, s.Frame)
	}
}

// modelCounting is how modelUsage counts. It does not state how long a cache is kept, nor how
// much of the output was thinking.
var modelCounting = dialect.Counting{
	Input: "inputTokens", CacheRead: "cacheReadInputTokens", CacheWrite5m: "cacheCreationInputTokens", Output: "outputTokens",
	Mode: schema.UsageAdd,
}

func same(a, b schema.Tokens) bool {
	return a.Input == b.Input && a.CacheRead == b.CacheRead && written(a) == written(b) && said(a) == said(b)
}

// only returns the run's usage of a model, or nil if there are none or several.
func (s *session) only(name string) (found *dialect.Usage) {
	all := s.counted
	if s.rest != nil {
		all = append(all[:len(all):len(all)], s.rest)
	}
	for _, u := range all {
		switch {
		case u.Model != name:
		case found != nil:
			return nil
		default:
			found = u
		}
	}
	return found
}

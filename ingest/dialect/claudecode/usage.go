package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// counting is the API's (protocols.md 2.11 and 2.4). A message's usage counts once, under the
// message's id, however many lines repeat it. In events it is exact. Whole lines have the usage of
// the message's start, with a placeholder for the output. The run's result states the sum of its
// messages. The part beyond them is added as one more usage, so that the sum equals the result. If
// the run had one message and only output is missing, the part is added to that message's usage.
// modelUsage is never added: it includes calls of helpers that no line describes, and the usage of
// sub-agents.
var counting = anthropic.Counting

// reconcile makes the sum of the run's usages equal to what its result states.
func (s *session) reconcile(l *line, run *dialect.Span) {
	raw := l.raw("usage")
	stated, ok := anthropic.Total(raw)
	if !ok || stated.Sum() == 0 {
		return // the result of an interrupted run may have no usage
	}
	main, subs := s.sum(), schema.Tokens{}
	for _, a := range s.agents {
		subs = dialect.AddTokens(subs, a.sum())
	}
	subs = dialect.AddTokens(subs, s.subs)
	rest, fits := minus(stated, dialect.AddTokens(main, subs))
	if !fits {
		subs = schema.Tokens{} // the result does not include sub-agents
		rest, fits = minus(stated, main)
	}
	if !fits {
		if s.before.Sum() > 0 {
			return // too many to take back: the messages' usages stay
		}
		for _, u := range s.counted {
			u.Tokens = schema.Tokens{}
			s.Emitter.ChangedUsage(u, s.Frame)
		}
		rest = stated
	}
	if rest.Sum() == 0 {
		return
	}
	if u := s.usage; u != nil && len(s.counted) == 1 && s.counted[0] == u && rest.Sum() == said(rest) {
		u.Tokens, _ = minus(stated, subs) // only the output of the one message was missing
		u.Raw = string(raw)
		counting.Bill.Read(raw, &u.Usage)
		s.Emitter.ChangedUsage(u, s.Frame)
		return
	}
	s.Billing.MessageID, s.Billing.RequestID = "", "" // the usage is not of one message
	id, scope := "usage:"+s.RunID, schema.RestScope+s.RunID
	if !s.named {
		id = s.ID("usage")
		scope = schema.RestScope + id
	}
	if u := s.Use(&counting, id, scope, run, raw); u != nil {
		u.Tokens, u.RequestedModel = rest, ""
		u.Tools = s.restTools(u.Tools)
		s.rest = u
		if run != nil && s.mixed() {
			u.Model, u.Provider = run.Model, run.Provider
		}
	}
}

// restTools subtracts the uses of tools in the messages from those in the result.
func (s *session) restTools(stated schema.ToolUses) schema.ToolUses {
	for _, u := range s.counted {
		stated.WebSearches -= min(stated.WebSearches, u.Tools.WebSearches)
		stated.WebFetches -= min(stated.WebFetches, u.Tools.WebFetches)
		stated.CodeExecutions -= min(stated.CodeExecutions, u.Tools.CodeExecutions)
	}
	return stated
}

// mixed reports whether several models answered. Usage that belongs to no single one of them is
// then the run's, not the last model's.
func (s *session) mixed() bool {
	for _, u := range s.counted {
		if u.Model != s.Model {
			return true
		}
	}
	return false
}

// minus subtracts parts from a sum. fits is false if the parts exceed the sum. A sum may leave out
// buckets (thinking in the output, how long a cache is kept): the parts in such buckets count as
// part of the buckets that the sum states.
func minus(sum, parts schema.Tokens) (rest schema.Tokens, fits bool) {
	fits = sum.Input >= parts.Input && sum.CacheRead >= parts.CacheRead &&
		written(sum) >= written(parts) && said(sum) >= said(parts)
	if !fits {
		return rest, false
	}
	rest.Input, rest.CacheRead = sum.Input-parts.Input, sum.CacheRead-parts.CacheRead
	rest.CacheWrite5m = written(sum) - written(parts)
	rest.CacheWrite1h = min(rest.CacheWrite5m, sum.CacheWrite1h-min(sum.CacheWrite1h, parts.CacheWrite1h))
	rest.CacheWrite5m -= rest.CacheWrite1h
	rest.Output = said(sum) - said(parts)
	rest.Reasoning = min(rest.Output, sum.Reasoning-min(sum.Reasoning, parts.Reasoning))
	rest.Output -= rest.Reasoning
	return rest, true
}

func written(t schema.Tokens) uint64 { return t.CacheWrite5m + t.CacheWrite1h }

func said(t schema.Tokens) uint64 { return t.Output + t.Reasoning }

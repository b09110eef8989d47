package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// counting is the API's (protocols.md 2.11, and 2.4). A message's usage is
// counted once, under the message's id, however many lines repeat it: from
// events it is the true one, from whole lines that of the message's start, with
// a placeholder for the output. What the run's result states is the sum of its
// messages: what it holds beyond those that were stated is added as one usage
// more, so that all of them come to what the result says; where there was only
// one message, and only output is missing, it is that message's. modelUsage is never
// added: it holds calls of helpers that no line describes, and what sub-agents
// used.
var counting = anthropic.Counting

// reconcile makes the run's usages come to what its result states.
func (s *session) reconcile(l *line, run *dialect.Span) {
	raw := l.raw("usage")
	stated, ok := anthropic.Total(raw)
	if !ok || stated.Sum() == 0 {
		return // a run that was cut short may state nothing
	}
	main, subs := s.sum(), schema.Tokens{}
	for _, a := range s.agents {
		subs = dialect.AddTokens(subs, a.sum())
	}
	subs = dialect.AddTokens(subs, s.subs)
	rest, fits := minus(stated, dialect.AddTokens(main, subs))
	if !fits {
		subs = schema.Tokens{} // it is without them
		rest, fits = minus(stated, main)
	}
	if !fits {
		if s.before.Sum() > 0 {
			return // too many to take back: what the messages said stands
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
		u.Tokens, _ = minus(stated, subs) // the one message's own output is all that was missing
		u.Raw = string(raw)
		counting.Bill.Read(raw, &u.Usage)
		s.Emitter.ChangedUsage(u, s.Frame)
		return
	}
	s.Billing.MessageID, s.Billing.RequestID = "", "" // it is no message's
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

// restTools takes the uses of tools that the messages stated from the run's.
func (s *session) restTools(stated schema.ToolUses) schema.ToolUses {
	for _, u := range s.counted {
		stated.WebSearches -= min(stated.WebSearches, u.Tools.WebSearches)
		stated.WebFetches -= min(stated.WebFetches, u.Tools.WebFetches)
		stated.CodeExecutions -= min(stated.CodeExecutions, u.Tools.CodeExecutions)
	}
	return stated
}

// mixed reports whether several models answered: what is nobody's in particular
// is then the run's, not that of the one which answered last.
func (s *session) mixed() bool {
	for _, u := range s.counted {
		if u.Model != s.Model {
			return true
		}
	}
	return false
}

// minus takes parts from a sum. fits is false if they are more than it. The
// buckets that a sum may leave out (what of the output was thinking, for how
// long a cache was written) count together with those that it states.
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

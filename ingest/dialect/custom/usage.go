package custom

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// report is a usage that a later report with the same id replaces.
type report struct {
	id    string
	usage *dialect.Usage
}

// statement is a report that another rule may read as well.
type statement struct {
	rule   *usage
	tokens schema.Tokens
}

const (
	// keptReports bounds the usages of a run that may be replaced.
	keptReports = 256
	// keptStatements bounds the reports of a call of the model that may be repeated.
	keptStatements = 16
)

// tokens reads a report into disjoint buckets. ok is false if it counts nothing.
func (u *usage) tokens(s *source) (t schema.Tokens, total uint64, ok bool) {
	read := func(at places) uint64 {
		n, found := at.count(s)
		ok = ok || found
		return n
	}
	t = schema.Tokens{
		Input: read(u.input), CacheRead: read(u.cacheRead), CacheWrite5m: read(u.cacheWrite), CacheWrite1h: read(u.cacheWrite1h),
		Output: read(u.output), Reasoning: read(u.reasoning),
	}
	total = read(u.total)
	inside := u.outputIncludesReasoning || u.outputByTotal && total == t.Sum()-t.Reasoning-u.insideInput(&t)
	t.Input -= min(t.Input, u.insideInput(&t))
	if inside {
		t.Output -= min(t.Output, t.Reasoning)
	}
	return t, total, ok
}

// insideInput returns the tokens of a cache that the source counts within input.
func (u *usage) insideInput(t *schema.Tokens) uint64 {
	if !u.inputIncludesCache {
		return 0
	}
	return t.CacheRead + t.CacheWrite5m + t.CacheWrite1h
}

// apply records a report.
func (u *usage) apply(c *conversation, s *source) {
	tokens, total, ok := u.tokens(s)
	if !ok || u.repeated(c, tokens) {
		return
	}
	id := string(u.id.text(s))
	model, provider := string(u.model.text(s)), string(u.provider.text(s))
	fact := u.known(c, id)
	if fact == nil {
		fact = u.record(c, id, tokens)
	} else {
		fact.Tokens = tokens
		c.Emitter.ChangedUsage(fact, c.Frame)
	}
	fact.Total = total
	if model != "" {
		if provider == "" {
			provider = dialect.ProviderOf(model)
		}
		fact.Model, fact.Provider = model, provider
	} else if provider != "" {
		fact.Provider = provider
	}
}

// repeated reports whether another rule has read the same report of the call of the model.
func (u *usage) repeated(c *conversation, tokens schema.Tokens) bool {
	if !u.repeats {
		return false
	}
	i := slices.IndexFunc(c.stated, func(s statement) bool { return s.rule != u && s.tokens == tokens })
	if i >= 0 {
		c.stated = slices.Delete(c.stated, i, i+1)
		return true
	}
	c.stated = dialect.AppendRecent(c.stated, statement{u, tokens}, keptStatements)
	return false
}

// known returns the usage that a report replaces, or nil.
func (u *usage) known(c *conversation, id string) *dialect.Usage {
	if u.mode == cumulativeUsage {
		return nil
	}
	if id != "" {
		for i := range c.reports {
			if c.reports[i].id == id {
				return c.reports[i].usage
			}
		}
		return nil
	}
	if u.mode == lastUsage && c.last != nil && (c.Run() == nil || c.Run() == c.counted) {
		return c.last
	}
	return nil
}

// record records a new usage.
func (u *usage) record(c *conversation, id string, tokens schema.Tokens) *dialect.Usage {
	span := c.Call()
	if span == nil || u.mode != addUsage {
		span = c.Run()
	}
	key := c.ID("usage")
	if u.mode == cumulativeUsage {
		return c.UseTokens(key, c.total(id), span, schema.UsageRunning, tokens)
	}
	if id != "" {
		key = "usage:" + id
	}
	fact := c.UseTokens(key, key, span, schema.UsageAdd, tokens)
	switch {
	case id != "":
		c.reports = dialect.AppendRecent(c.reports, report{id, fact}, keptReports)
	case u.mode == lastUsage:
		c.last, c.counted = fact, c.Run()
	}
	return fact
}

// total returns the scope of a running total: the scope of its id, else the scope of the session. A
// stream without a session has a scope of its own.
func (c *conversation) total(id string) string {
	switch {
	case id != "":
		return "total:" + id
	case c.Session != "":
		return "total:session:" + c.Session
	}
	d := c.decoder
	if d.total == "" {
		d.total = c.ID("total")
	}
	return d.total
}

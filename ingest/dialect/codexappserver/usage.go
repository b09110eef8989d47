package codexappserver

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how Codex counts. inputTokens includes tokens from a cache and written to one.
// outputTokens includes reasoning. The total is of the whole thread so far.
var counting = dialect.Counting{
	Input: "inputTokens", CacheRead: "cachedInputTokens", CacheWrite5m: "cacheWriteInputTokens",
	Output: "outputTokens", Reasoning: "reasoningOutputTokens", Total: "totalTokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageRunning,
}

// totals are what is known of a thread's total.
type totals struct {
	known  bool          // what the thread had used before this connection is known
	forked bool          // it was used by another thread
	base   schema.Tokens // of a forked thread: the part of the total that another thread used
	sum    uint64        // of base, as stated
}

// tokenUsage reads the thread's total, which has the scope that it has in other streams of the thread:
// "codex exec --json", and the files of Codex. It belongs to the call of the model that ended. What a
// thread had used before this connection is a usage of its own, that belongs to no run. What a thread
// has from the one that it was forked from is left out.
func (t *thread) tokenUsage(m *message) {
	usage := m.params("tokenUsage")
	raw := dialect.RawMember(usage, "total")
	total, sum, ok := counting.Read(raw)
	if !ok {
		t.Unread(raw)
		return
	}
	if !t.totals.known {
		t.totals.known = true
		t.inherit(total, sum, dialect.RawMember(usage, "last"))
	}
	own := without(total, t.totals.base)
	if own.Sum() == 0 {
		return
	}
	span := t.called
	if span == nil {
		span = t.Run()
	}
	u := t.record(span, own)
	u.Total, u.Raw = sum-min(sum, t.totals.sum), string(raw)
}

// inherit reads what the thread had used before its first call of a model on this connection. Before
// a turn all of a total is of earlier turns.
func (t *thread) inherit(total schema.Tokens, sum uint64, last []byte) {
	before, beforeSum := total, sum
	if t.Run() != nil {
		tokens, lastSum, ok := counting.Read(last)
		if !ok {
			return
		}
		before, beforeSum = without(total, tokens), sum-min(sum, lastSum)
	}
	switch {
	case t.totals.forked:
		t.totals.base, t.totals.sum = before, beforeSum
	case t.Run() != nil && before.Sum() > 0:
		u := t.record(nil, before)
		u.Total, u.Run = beforeSum, ""
	}
}

// record records a total of the thread.
func (t *thread) record(span *dialect.Span, total schema.Tokens) *dialect.Usage {
	return t.UseTokens(t.d.ID("usage"), "thread:"+t.Session, span, counting.Mode, total)
}

// without subtracts a part from a count.
func without(all, part schema.Tokens) schema.Tokens {
	less := func(n, m uint64) uint64 { return n - min(n, m) }
	return schema.Tokens{
		Input: less(all.Input, part.Input), CacheRead: less(all.CacheRead, part.CacheRead),
		CacheWrite5m: less(all.CacheWrite5m, part.CacheWrite5m), CacheWrite1h: less(all.CacheWrite1h, part.CacheWrite1h),
		Output: less(all.Output, part.Output), Reasoning: less(all.Reasoning, part.Reasoning),
	}
}

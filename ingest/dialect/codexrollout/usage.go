package codexrollout

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how Codex counts. input_tokens includes tokens from a cache, and in the newest
// versions tokens written to one. output_tokens includes reasoning. The totals are those of the
// whole session so far.
var counting = dialect.Counting{
	Input: "input_tokens", CacheRead: "cached_input_tokens", CacheWrite5m: "cache_write_input_tokens",
	Output: "output_tokens", Reasoning: "reasoning_output_tokens", Total: "total_tokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageRunning,
}

// totals are the totals of a session.
type totals struct {
	scope     string
	inherited schema.Tokens // of the session from which this one was forked
	stated    uint64        // the sum of inherited, as stated
	latest    schema.Tokens // recorded last
}

// totalOf returns the totals of a token_count. Its last_token_usage repeats a part of them.
func totalOf(l *line) (raw []byte, tokens schema.Tokens, stated uint64, ok bool) {
	raw = dialect.RawPath(l.raw, "info.total_token_usage")
	tokens, stated, ok = counting.Read(raw)
	return raw, tokens, stated, ok
}

// inherit notes the totals of the session from which this one was forked, as this session's
// totals include them.
func (d *decoder) inherit(l *line) {
	if _, tokens, stated, ok := totalOf(l); ok {
		d.totals.inherited, d.totals.stated = tokens, stated
	}
}

// tokenCount records the session's total. A token_count may also state only the use of a quota,
// and repeat the total.
func (d *decoder) tokenCount(l *line) {
	raw, tokens, stated, ok := totalOf(l)
	t := &d.totals
	if !ok {
		return
	}
	if tokens.Sum() < t.inherited.Sum() {
		t.inherited, t.stated = schema.Tokens{}, 0 // the count started again at 0
	}
	tokens = without(tokens, t.inherited)
	if tokens == t.latest {
		return
	}
	t.latest = tokens
	span := d.turn.call
	if span == nil {
		span = d.tr.Run()
	}
	u := d.tr.UseTokens(d.usageID(l), d.scope(), span, counting.Mode, tokens)
	u.Total, u.Raw = stated-min(stated, t.stated), string(raw)
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

// scope returns the scope of the totals: the thread, as in "codex exec --json". A file whose head
// was not seen has a scope of this stream.
func (d *decoder) scope() string {
	if d.totals.scope == "" {
		if d.tr.Session == "" {
			d.totals.scope = d.ID("thread")
		} else {
			d.totals.scope = "thread:" + d.tr.Session
		}
	}
	return d.totals.scope
}

// usageID returns an id that is the same in every stream with the line.
func (d *decoder) usageID(l *line) string {
	if d.tr.Session == "" {
		return d.ID("usage")
	}
	var h xxhash.Digest
	h.Reset()
	_, _ = h.WriteString(d.tr.Session)
	_, _ = h.Write(l.Data)
	return dialect.EventID("usage", h.Sum64())
}

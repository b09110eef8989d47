package codexrollout

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/codexlimits"
	"tapedeck/schema"
)

// counting is how Codex counts. input_tokens includes tokens from a cache, and in the newest
// versions tokens written to one. output_tokens includes reasoning. The totals cover the whole
// session so far.
var counting = dialect.Counting{
	Input: "input_tokens", CacheRead: "cached_input_tokens", CacheWrite5m: "cache_write_input_tokens",
	Output: "output_tokens", Reasoning: "reasoning_output_tokens", Total: "total_tokens",
	InputHoldsCache: true, OutputHoldsReasoning: true,
	Mode: schema.UsageRunning,
}

// totals are the totals of a session.
type totals struct {
	scope     string
	begun     bool          // a total of this session was seen
	inherited schema.Tokens // of the session from which this one was forked
	stated    uint64        // the sum of inherited, as stated
	latest    schema.Tokens // recorded last
	total     uint64        // the sum of latest, as stated
	// seen is the total of the latest token_count, and ahead what that token_count added to the
	// recorded total.
	seen, ahead schema.Tokens
	responses   dialect.Recent // ids of the responses with a record of their own
	records     bool           // the session has such records
	inTurn      bool           // the present turn has
}

// responsesKept bounds the responses whose records are recognised when they are written again.
const responsesKept = 256

// totalOf returns the totals of a token_count. Its last_token_usage is a part of them.
func totalOf(l *line) (raw []byte, tokens schema.Tokens, stated uint64, ok bool) {
	raw = dialect.RawPath(l.raw, "info.total_token_usage")
	tokens, stated, ok = counting.Read(raw)
	return raw, tokens, stated, ok
}

// inherit notes the totals of the session from which this one was forked, as this session's
// totals include them.
func (d *decoder) inherit(l *line) {
	if _, tokens, stated, ok := totalOf(l); ok {
		d.totals.inherited, d.totals.stated, d.totals.seen = tokens, stated, tokens
	}
}

// base notes what the first total of a session includes of its ancestors, if the session continues
// them: all but the usage of the last response. Before a turn all of it is of ancestors. A total that
// is all of the last response began at 0.
func (d *decoder) base(l *line, total schema.Tokens, sum uint64) {
	t := &d.totals
	last, lastSum, ok := counting.Read(dialect.RawPath(l.raw, "info.last_token_usage"))
	switch {
	case t.begun || total == t.seen:
		return
	case !d.fork.continues:
	case t.seen.Sum() > 0:
		if ok && total == last {
			t.inherited, t.stated = schema.Tokens{}, 0
		}
	case d.tr.Run() == nil:
		t.inherited, t.stated, t.seen = total, sum, total
	case ok:
		t.inherited, t.stated = without(total, last), sum-min(sum, lastSum)
		t.seen = t.inherited
	}
	t.begun = true
}

// rateLimits reads the limits of the account, which are no usage.
func (d *decoder) rateLimits(l *line) {
	codexlimits.Read(l.v.Get("rate_limits"), d.Frame.At, d.tr.SetLimit)
}

// tokenCount records the session's total. A token_count may also state only the use of a quota,
// and repeat the total. In a turn whose responses have records of their own it counts nothing.
func (d *decoder) tokenCount(l *line) {
	d.rateLimits(l)
	raw, tokens, stated, ok := totalOf(l)
	t := &d.totals
	if !ok {
		return
	}
	d.base(l, tokens, stated)
	before := t.seen
	t.seen = tokens
	switch {
	case t.inTurn:
		return
	case t.records: // the total lacks what only records state
		if tokens.Sum() < before.Sum() {
			before = schema.Tokens{} // the count started again at 0
		}
		t.ahead = without(tokens, before)
		tokens, stated = dialect.AddTokens(t.latest, t.ahead), t.total+t.ahead.Sum()
	default:
		if tokens.Sum() < t.inherited.Sum() {
			t.inherited, t.stated = schema.Tokens{}, 0 // the count started again at 0
		}
		tokens, stated = without(tokens, t.inherited), stated-min(stated, t.stated)
		t.ahead = without(tokens, t.latest)
	}
	if tokens != t.latest {
		d.recordTotal(l, tokens, stated, raw)
	}
}

// usageRecord reads the usage of one response, which is added to the session's total. It includes
// responses that a token_count leaves out, such as a compaction. Its turn_token_usage and
// thread_token_usage repeat sums.
func (d *decoder) usageRecord(l *line) {
	raw, t := dialect.RawMember(l.raw, "usage"), &d.totals
	tokens, stated, ok := counting.Read(raw)
	if !ok {
		d.tr.Unread(raw)
	}
	if !ok || d.fork.from(l.text("thread_id")) || t.responses.Note(l.text("response_id"), responsesKept) {
		return
	}
	counted := t.ahead == tokens && !t.inTurn // a token_count before the record has counted it
	t.records, t.inTurn, t.ahead = true, true, schema.Tokens{}
	if counted || tokens.Sum() == 0 {
		return
	}
	d.tr.Billing.MessageID = string(l.text("response_id"))
	d.recordTotal(l, dialect.AddTokens(t.latest, tokens), t.total+stated, raw)
	d.tr.Billing.MessageID = ""
}

// recordTotal records a new total of the session. stated is its sum as the lines state it.
func (d *decoder) recordTotal(l *line, tokens schema.Tokens, stated uint64, raw []byte) {
	d.totals.latest, d.totals.total = tokens, stated
	span := d.turn.call
	if span == nil {
		span = d.tr.Run()
	}
	u := d.tr.UseTokens(d.usageID(l), d.scope(), span, counting.Mode, tokens)
	u.Total, u.Raw = stated, string(raw)
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

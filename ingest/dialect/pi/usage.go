package pi

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how pi counts. input excludes tokens from a cache and tokens written to one.
// cacheWrite includes cacheWrite1h. output includes reasoning.
var counting = dialect.Counting{
	Input: "input", CacheRead: "cacheRead", CacheWrite5m: "cacheWrite", CacheWrite1h: "cacheWrite1h",
	Output: "output", Reasoning: "reasoning", Total: "totalTokens",
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
}

// identity returns a hash that is the same for a message in events and in the session's file. A
// message has a time; one without counts as the answer to the user's latest message.
func (d *decoder) identity(l *line) uint64 {
	var h xxhash.Digest
	h.Reset()
	if !l.v.Exists("timestamp") {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, d.askedAt))
	}
	_, _ = h.Write(l.raw)
	return h.Sum64()
}

// count records the tokens of an answer, once.
func (d *decoder) count(raw []byte, of uint64, span *dialect.Span) {
	if d.seen.HasHash(of) {
		return
	}
	d.seen.AddHash(of, seenKept)
	d.use(raw, dialect.EventID("usage", of), span)
}

// countOnce records the tokens of unnamed models, such as those that a tool or a summary used.
func (d *decoder) countOnce(kind string, key, raw []byte) {
	of := xxhash.Sum64(append([]byte(kind), key...))
	if raw == nil || d.seen.HasHash(of) {
		return
	}
	d.seen.AddHash(of, seenKept)
	if u := d.use(raw, dialect.EventID("usage", of), d.tr.Run()); u != nil {
		u.Model, u.Provider = "", ""
	}
}

// entryUsage records tokens outside of answers, for example for keeping a cache warm.
func (d *decoder) entryUsage(l *line) {
	d.setModel(l.text("model"), l.text("provider"))
	d.use(dialect.RawMember(l.raw, "usage"), dialect.EventID("usage", xxhash.Sum64(l.raw)), d.tr.Run())
}

// use records tokens. It returns nil for a usage that counts nothing.
func (d *decoder) use(raw []byte, id string, span *dialect.Span) *dialect.Usage {
	tokens, total, ok := counting.Read(raw)
	if !ok || tokens.Sum() == 0 {
		return nil
	}
	tokens.CacheWrite5m -= min(tokens.CacheWrite5m, tokens.CacheWrite1h)
	u := d.tr.UseTokens(id, id, span, counting.Mode, tokens)
	u.Total, u.Raw = total, string(raw)
	u.StateCost(string(dialect.RawPath(raw, "cost.total")), "USD")
	return u
}

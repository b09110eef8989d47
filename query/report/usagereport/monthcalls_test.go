package usagereport_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// monthCall is a call as testdata/bill.mjs reads it.
type monthCall struct {
	at     int64             // ms
	groups map[string]string // what it is by each grouping
	tokens schema.Tokens
	stated string // the cost that its source states
}

// MarshalJSON writes tokens under the names of the API.
func (c *monthCall) MarshalJSON() ([]byte, error) {
	t := &c.tokens
	return json.Marshal(map[string]any{
		"at": c.at, "groups": c.groups, "stated": c.stated, "input": t.Input, "cache_read": t.CacheRead,
		"cache_write_5m": t.CacheWrite5m, "cache_write_1h": t.CacheWrite1h, "output": t.Output, "reasoning": t.Reasoning,
	})
}

// monthModels are models with tiers, with a price that changes in the month, with prices by
// the time of day, without a price for caches, and one that no table has.
var monthModels = [][2]string{
	{"openai", "gpt-5"}, {"openai", "gpt-5-mini"}, {"openai", "gpt-5.4"}, {"openai", "gpt-5.6-sol"}, {"openai", "gpt-6-luna"},
	{"google", "gemini-2.5-pro"}, {"google", "gemini-3-pro-preview"}, {"google", "gemini-2.5-flash"},
	{"deepseek", "deepseek-v4-flash"}, {"deepseek", "deepseek-chat"}, {"mistral", "voxtral-small-24b-2507"}, {"openai", "in-house-1"},
}

// monthMaker generates a month's calls and the recordings of them.
type monthMaker struct {
	*rand.Rand
	calls      []monthCall
	recordings []querytest.Recording
}

// month generates calls from 30 July to early September 2026. Some sessions are recorded by
// two streams, some are resumed in a stream without tags, some report running totals, and
// some records are stored before their last frames arrive, also on the day before. All of it
// is inserted twice.
func month(n int) ([]monthCall, []querytest.Recording) {
	m := &monthMaker{Rand: rand.New(rand.NewPCG(14, 3))}
	for session := 0; len(m.calls) < n; session++ {
		m.session(session)
	}
	return m.calls, m.recordings
}

func (m *monthMaker) pick(words ...string) string { return words[m.IntN(len(words))] }

func (m *monthMaker) upTo(d time.Duration) time.Duration { return time.Duration(m.Int64N(int64(d))) }

func (m *monthMaker) tokens() schema.Tokens {
	return schema.Tokens{
		Input: m.Uint64N(1000), CacheRead: m.Uint64N(3) * m.Uint64N(150_000), CacheWrite5m: m.Uint64N(2) * m.Uint64N(9000),
		CacheWrite1h: m.Uint64N(2) * m.Uint64N(500), Output: m.Uint64N(3000), Reasoning: m.Uint64N(2) * m.Uint64N(5000),
	}
}

// plus returns the sum of tokens by bucket.
func plus(a, b schema.Tokens) schema.Tokens {
	return schema.Tokens{
		Input: a.Input + b.Input, CacheRead: a.CacheRead + b.CacheRead, CacheWrite5m: a.CacheWrite5m + b.CacheWrite5m,
		CacheWrite1h: a.CacheWrite1h + b.CacheWrite1h, Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning,
	}
}

// session generates the nth session.
func (m *monthMaker) session(n int) {
	tags := map[string]string{"customer": fmt.Sprint("c", m.IntN(7)), "team": fmt.Sprint("t", m.IntN(3))}
	if m.IntN(4) == 0 {
		tags["environment"] = "test"
	}
	rec := querytest.Recording{Session: fmt.Sprintf("s%06d", n), Stream: 3*n + 1}
	rec.State = schema.StreamState{Tags: tags, Dialect: m.pick("loom", "openai-chat"), Version: 2}
	early := rec
	early.State.Version = 1
	resumed := querytest.Recording{Session: rec.Session, Stream: 3*n + 3, State: schema.StreamState{Dialect: "codex"}}
	at := time.Date(2026, time.July, 30, 0, 0, 0, 0, time.UTC).Add(m.upTo(34 * 24 * time.Hour)).Truncate(time.Millisecond)
	count := 1 + m.IntN(40)
	resumedFrom, running := count, m.IntN(8) == 0
	if m.IntN(5) == 0 {
		resumedFrom = 1 + m.IntN(count)
	}
	var sum schema.Tokens
	for i := range count {
		stream := &rec
		if i >= resumedFrom {
			stream = &resumed
		}
		if i == resumedFrom {
			at = at.Add(m.upTo(72 * time.Hour))
		}
		at = at.Add(time.Millisecond + m.upTo(20*time.Minute)).Truncate(time.Millisecond)
		u, span := m.call(i, at, stream, tags)
		if running {
			sum = plus(sum, u.Tokens)
			u.Tokens, u.Mode, u.Scope = sum, schema.UsageRunning, "thread"
			m.calls[len(m.calls)-1].stated = "" // a total's cost is of no call
		} else if i < resumedFrom && m.IntN(12) == 0 { // known before its last frame
			u.SeenAt -= int64(m.upTo(30 * time.Hour))
			first := u
			first.At, first.Version, first.Tokens = u.SeenAt, u.Version-1, schema.Tokens{Input: u.Tokens.Input / 2}
			early.Usages = append(early.Usages, first)
		}
		stream.Usages = append(stream.Usages, u)
		if span != nil {
			stream.Spans = append(stream.Spans, *span)
		}
	}
	m.record(early, rec, resumed)
	if m.IntN(10) == 0 { // a second tap of the same
		rec.Stream++
		rec.Usages = slices.Clone(rec.Usages)
		m.record(rec)
	}
}

// record adds the recordings that hold something.
func (m *monthMaker) record(list ...querytest.Recording) {
	for _, r := range list {
		if len(r.Usages) > 0 {
			m.recordings = append(m.recordings, r)
		}
	}
}

// call generates the ith call of a session, and the span of some.
func (m *monthMaker) call(i int, at time.Time, stream *querytest.Recording, tags map[string]string) (schema.Usage, *schema.Span) {
	model := monthModels[m.IntN(len(monthModels))]
	tokens := m.tokens()
	u := querytest.Used(fmt.Sprint("u", i), model[1], 0, tokens)
	u.At, u.SeenAt, u.SeenSeq, u.Version = at.UnixNano(), at.UnixNano(), uint64(i+1), uint64(2*i+2)
	u.Provider, u.ServiceTier = model[0], m.pick("", "standard", "flex")
	u.Run, u.Node, u.Agent = m.pick("", "r1", "r2"), m.pick("", "think", "act"), m.pick("", "main", "helper")
	if m.IntN(5) == 0 {
		u.Cost, u.Currency = fmt.Sprintf("%d.%0*d", m.IntN(3), 1+m.IntN(9), 1+m.IntN(9)), "USD"
	}
	status := ""
	var span *schema.Span
	if m.IntN(3) == 0 {
		status = m.pick(string(schema.StatusOK), string(schema.StatusError), string(schema.StatusCancelled))
		u.Span = fmt.Sprint("call ", i)
		span = &schema.Span{
			Fact: schema.Fact{ID: u.Span, SeenAt: u.At, SeenSeq: u.SeenSeq, Version: u.Version}, Kind: schema.SpanLLM, Status: schema.Status(status),
			Started: u.At - int64(time.Second), Ended: u.At,
		}
	}
	groups := map[string]string{
		"tenant": querytest.Tenant, "session": stream.Session, "run": u.Run, "agent": u.Agent, "node": u.Node, "model": u.Model, "provider": u.Provider,
		"dialect": stream.State.Dialect, "service_tier": u.ServiceTier, "status": status,
	}
	for k, v := range tags {
		groups["tag:"+k] = v
	}
	m.calls = append(m.calls, monthCall{at.UnixMilli(), groups, tokens, u.Cost})
	return u, span
}

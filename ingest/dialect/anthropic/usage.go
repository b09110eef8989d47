package anthropic

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Counting is how the Messages API counts (protocols.md 2.4 and 3.3). input_tokens excludes
// tokens read from a cache and written to one. cache_creation_input_tokens is the sum of the
// tokens written, and cache_creation splits it by how long they are kept. output_tokens includes
// thinking. The usage of a message is cumulative and replaces itself; the usages of messages add
// up. The API states no total; see countingWithin.
var Counting = dialect.Counting{
	Input:                "input_tokens",
	CacheRead:            "cache_read_input_tokens",
	CacheWrite5m:         "cache_creation.ephemeral_5m_input_tokens|cache_creation_input_tokens",
	CacheWrite1h:         "cache_creation.ephemeral_1h_input_tokens",
	Output:               "output_tokens",
	Reasoning:            "output_tokens_details.thinking_tokens",
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageAdd,
	Bill: &dialect.Bill{
		ServiceTier: "service_tier", Speed: "speed", Region: "inference_geo",
		WebSearches: "server_tool_use.web_search_requests", WebFetches: "server_tool_use.web_fetch_requests",
		CodeExecutions: "server_tool_use.code_execution_requests",
	},
}

// countingWithin is Counting for programs whose input_tokens include the cache, as in Qwen Code.
// They state a total.
var countingWithin = func() dialect.Counting {
	c := Counting
	c.InputHoldsCache = true
	return c
}()

// counted lists the members of a usage that a later usage replaces one by one.
var counted = []string{
	"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation",
	"output_tokens", "output_tokens_details", "total_tokens", "iterations",
	"service_tier", "speed", "inference_geo", "server_tool_use",
}

// Total reads a usage without its iterations. ok is false if usage is not an object or counts
// nothing. A stated total that is less than the sum of the counts shows that the input includes the
// cache.
func Total(usage []byte) (t schema.Tokens, ok bool) {
	t, _, ok = Counting.Read(usage)
	if all, stated := dialect.RawUint(dialect.RawMember(usage, "total_tokens")); stated && all < t.Sum() {
		if within, _, _ := countingWithin.Read(usage); within.Sum() <= all {
			t = within // the total has the cache within the input
		}
	}
	if written, stated := dialect.RawUint(dialect.RawMember(usage, "cache_creation_input_tokens")); stated {
		t.CacheWrite5m = written - min(written, t.CacheWrite1h) // the part that is not stated to be kept for an hour
	}
	return t, ok
}

// Bill returns the tokens of the model own for a message. It is the sum of the iterations if the
// usage lists them, as the usage's own members count the last iteration only. It leaves out
// iterations that name another model (see Shares). With own "" all iterations count.
func Bill(usage []byte, own string) (sum schema.Tokens, ok bool) {
	last, ok := Total(usage)
	listed := false
	eachIteration(usage, func(iteration []byte, t schema.Tokens) {
		if isOwn(dialect.RawText(iteration, "model"), own) {
			listed = true
			sum = dialect.AddTokens(sum, t)
		}
	})
	if !listed {
		return last, ok
	}
	complete(&sum, last)
	return sum, true
}

// complete adds to the sum of iterations what may be stated for the whole only: thinking in the
// output, tokens read from a cache and written to one, and for how long.
func complete(sum *schema.Tokens, whole schema.Tokens) {
	if sum.Reasoning == 0 {
		sum.Reasoning = min(whole.Reasoning, sum.Output)
		sum.Output -= sum.Reasoning
	}
	if sum.CacheRead == 0 {
		sum.CacheRead = whole.CacheRead
	}
	switch {
	case sum.CacheWrite5m+sum.CacheWrite1h == 0:
		sum.CacheWrite5m, sum.CacheWrite1h = whole.CacheWrite5m, whole.CacheWrite1h
	case sum.CacheWrite1h == 0:
		sum.CacheWrite1h = min(whole.CacheWrite1h, sum.CacheWrite5m)
		sum.CacheWrite5m -= sum.CacheWrite1h
	}
}

// count reads a usage of the message in progress. It replaces the members of the previous usage
// that it states.
func (m *Messages) count(raw []byte) {
	if _, ok := Total(raw); !ok && dialect.RawMember(raw, "iterations") == nil {
		m.trace.Unread(raw)
		return
	}
	m.counts = overlay(m.counts, raw)
	t := m.trace
	tokens, ok := Bill(m.counts, t.Model)
	if !ok {
		return
	}
	if m.usage != nil {
		m.usage.ServiceTier = schema.ServedTier(m.usage.ServiceTier)
	}
	if m.usage = t.Count(m.usage, &Counting, m.id, t.Call(), m.counts); m.usage == nil {
		return
	}
	m.usage.Tokens, m.usage.Raw = tokens, string(raw)
	m.Refuse(m.usage)
	if len(m.others.calls) > 0 && t.Call() != nil {
		m.usage.Span = t.Call().ID // the call of the model that took over
	}
	m.others.record(t, m.id, Shares(raw, t.Model), &m.output)
}

// overlay replaces members of the previous usage by members of a new usage, and returns an object
// of the members that count. It drops a split of cache writes whose sum differs from the new one.
func overlay(before, usage []byte) []byte {
	if len(before) == 0 {
		return append(before, usage...)
	}
	var out dialect.Attributes
	written, stated := dialect.RawUint(dialect.RawMember(usage, "cache_creation_input_tokens"))
	for _, name := range counted {
		value := dialect.RawMember(usage, name)
		if value == nil || string(value) == "null" {
			value = dialect.RawMember(before, name)
			if name == "cache_creation" && stated && splitSum(value) != written || name == "iterations" {
				continue
			}
		}
		out.AddRaw(name, value)
	}
	if len(out) == 0 {
		return before
	}
	return append(out, '}')
}

func splitSum(split []byte) (sum uint64) {
	for _, name := range []string{"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"} {
		n, _ := dialect.RawUint(dialect.RawMember(split, name))
		sum += n
	}
	return sum
}

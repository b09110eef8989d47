package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Counting is how anthropic_agent counts (protocols.md 1.3). cumulative_usage of meta_final is
// the sum over the run's calls of the model, named as in the Messages API. input_tokens excludes
// tokens read from a cache and written to one. output_tokens includes thinking, which is not
// stated separately. Runs add up. How long a cache is kept is not stated; the library uses five
// minutes.
var Counting = dialect.Counting{
	Input:        "input_tokens",
	CacheRead:    "cache_read_input_tokens",
	CacheWrite5m: "cache_creation_input_tokens",
	Output:       "output_tokens",
	Mode:         schema.UsageAdd,
}

// SessionCounting is how the successor agent_base counts. It has other names, and
// thinking_tokens, which output_tokens includes. Its numbers are the sum over all runs of the
// agent so far and of its sub-agents: running totals of the agent.
var SessionCounting = dialect.Counting{
	Input:                "input_tokens",
	CacheRead:            "cache_read_tokens",
	CacheWrite5m:         "cache_write_tokens",
	Output:               "output_tokens",
	Reasoning:            "thinking_tokens",
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageRunning,
}

// sessionMembers are the members of a usage that only the successor writes.
var sessionMembers = []string{"cache_write_tokens", "cache_read_tokens", "thinking_tokens", "raw_usage"}

// usage reads the usage of meta_final.
func (d *decoder) usage(a *agent, final []byte) {
	raw := dialect.RawMember(final, "cumulative_usage")
	if raw == nil {
		return
	}
	session := false
	for _, name := range sessionMembers {
		session = session || dialect.RawMember(raw, name) != nil
	}
	switch {
	case a.api != nil && a.api.Usage() != nil:
		a.note("cumulative_usage", raw) // the events have stated the usage call by call
	case !session:
		a.Use(&Counting, a.ID("usage"), a.span().ID, a.span(), raw)
	case a.parent != nil:
		a.note("cumulative_usage", raw) // the parent counts it as well
	default:
		a.Use(&SessionCounting, a.ID("usage"), "agent:"+a.id, a.span(), raw)
	}
}

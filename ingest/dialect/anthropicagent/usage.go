package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Counting is how anthropic_agent counts (protocols.md 1.3): meta_final's
// cumulative_usage is the sum over the run's calls of the model, named as in
// the Messages API: input_tokens leaves out what was read from a cache and what
// was written to one, output_tokens includes thinking, which is not stated. Runs
// are added. How long a cache is kept is not stated; five minutes is the library's
// way.
var Counting = dialect.Counting{
	Input:        "input_tokens",
	CacheRead:    "cache_read_input_tokens",
	CacheWrite5m: "cache_creation_input_tokens",
	Output:       "output_tokens",
	Mode:         schema.UsageAdd,
}

// SessionCounting is how its successor agent_base counts: the same with other
// names, and with thinking_tokens, which output_tokens includes; but what it
// sums up are all runs of the agent so far, and those of its sub-agents. So the
// records are running totals of the agent.
var SessionCounting = dialect.Counting{
	Input:                "input_tokens",
	CacheRead:            "cache_read_tokens",
	CacheWrite5m:         "cache_write_tokens",
	Output:               "output_tokens",
	Reasoning:            "thinking_tokens",
	OutputHoldsReasoning: true,
	Mode:                 schema.UsageRunning,
}

// sessionMembers are those of a usage which only the successor writes.
var sessionMembers = []string{"cache_write_tokens", "cache_read_tokens", "thinking_tokens", "raw_usage"}

// usage reads what meta_final says was used.
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
		a.note("cumulative_usage", raw) // the events have stated it call by call
	case !session:
		a.Use(&Counting, a.ID("usage"), a.span().ID, a.span(), raw)
	case a.parent != nil:
		a.note("cumulative_usage", raw) // its parent counts it as well
	default:
		a.Use(&SessionCounting, a.ID("usage"), "agent:"+a.id, a.span(), raw)
	}
}

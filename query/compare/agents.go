package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// AgentNames is the pair of names that one agent has in the two sessions. A name is "" in a session
// that does not name the agent.
type AgentNames struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Steps int    `json:"steps"` // number of paired steps with these names
}

// sharedAgents returns the names of agents that occur in both sessions.
func sharedAgents(a, b *session) map[string]bool {
	inA, shared := map[string]bool{}, map[string]bool{}
	for _, st := range a.all {
		inA[st.agent] = true
	}
	for _, st := range b.all {
		if st.agent != "" && inA[st.agent] {
			shared[st.agent] = true
		}
	}
	return shared
}

// renamedAgents returns the pairs of different names among the paired steps, the most frequent
// pair first.
func renamedAgents(rows []Row) []AgentNames {
	type names struct{ a, b string }
	counts := map[names]int{}
	for i := range rows {
		if r := &rows[i]; r.a != nil && r.b != nil && r.a.agent != r.b.agent {
			counts[names{r.a.agent, r.b.agent}]++
		}
	}
	list := make([]AgentNames, 0, len(counts))
	for n, steps := range counts {
		list = append(list, AgentNames{n.a, n.b, steps})
	}
	slices.SortFunc(list, func(x, y AgentNames) int {
		return cmp.Or(cmp.Compare(y.Steps, x.Steps), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return list
}

// agentsNote returns the part of the summary's sentence about names of agents, "" if none differs.
func (c *Comparison) agentsNote() string {
	if len(c.Agents) == 0 {
		return ""
	}
	first := c.Agents[0]
	note := fmt.Sprintf("; the agent is %s in A, %s in B", agentName(first.A), agentName(first.B))
	if more := len(c.Agents) - 1; more > 0 {
		note += fmt.Sprintf(" (and %d more names differ)", more)
	}
	return note
}

func agentName(name string) string {
	if name == "" {
		return "not named"
	}
	return strconv.Quote(name)
}

package compare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/compare"
	"tapedeck/query/querytest"
)

// as sets the agent of all steps since the last call of as.
func (s *session) as(agent string) *session {
	for i := range s.rec.Spans {
		if s.rec.Spans[i].Agent == "main" {
			s.rec.Spans[i].Agent = agent
		}
	}
	for i := range s.rec.Messages {
		if s.rec.Messages[i].Agent == "main" {
			s.rec.Messages[i].Agent = agent
		}
	}
	return s
}

// Steps are paired whatever the agents are called: a run that was recorded in two ways, or whose
// agent was renamed, has the same steps. The names are one difference.
func testRenamedAgents(t *testing.T, w *world) {
	steps := func(id string) *session {
		return w.session(id).user("fix it").llm("I look.").tool("read", `{"path":"x"}`, "content").toolAs("bash", `{}`, "boom", "error").llm("Done.")
	}
	w.add(steps("unnamed").as(""), steps("named").as("react"), steps("renamed").as("planner"))
	for _, c := range []struct {
		a, b, sentence string
		agents         []compare.AgentNames
	}{
		{"unnamed", "named", `The same in all 5 steps; the agent is not named in A, "react" in B.`, []compare.AgentNames{{B: "react", Steps: 5}}},
		{"named", "renamed", `The same in all 5 steps; the agent is "react" in A, "planner" in B.`, []compare.AgentNames{{A: "react", B: "planner", Steps: 5}}},
	} {
		got := w.compare(c.a, c.b)
		if s := got.Summary; s.Identical || s.SameSteps != 5 || s.Classes[compare.Matched] != 5 || s.Sentence != c.sentence || got.FirstDivergence != nil {
			t.Errorf("%s, %s: %+v", c.a, c.b, s)
		}
		if diff := cmp.Diff(c.agents, got.Agents); diff != "" {
			t.Errorf("%s, %s: names of agents (-want +got):\n%s", c.a, c.b, diff)
		}
	}
	if c := w.compare("named", "named"); !c.Summary.Identical || len(c.Agents) != 0 {
		t.Errorf("one session: %+v, agents %v", c.Summary, c.Agents)
	}
	// Two agents that did the same are paired by their names where both sessions have the names.
	w.add(w.session("x").tool("read", `{}`, "a").as("one").tool("read", `{}`, "a").as("two"),
		w.session("y").tool("read", `{}`, "a").as("two"))
	querytest.Equal(t, "rows", querytest.Lines("only_a tool read 1/-", "matched tool read 2/1 resynchronised"), outline(w.compare("x", "y")))
}

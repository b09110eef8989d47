package spanmerge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// TestOfFacts compares the spans of facts in memory with those of the same facts in the database: a call
// that two streams report, a call without an end in a run that ended, and a call with every field.
func TestOfFacts(t *testing.T) {
	db := querytest.Open(t)
	full := querytest.Tool("full", "bash", schema.StatusError, 2, 3)
	full.Parent, full.Duration, full.CallID, full.Error, full.Attributes = "run", 5, "call-1", "exit 1", `{"a":1}`
	full.Model, full.Provider, full.FirstToken, full.Node, full.Agent = "gpt-5", "openai", querytest.AtSecond(2.5), "node", "agent"
	late := querytest.Tool("full", "", schema.StatusOK, 0, 9)
	late.Started = 0
	unclosed := querytest.Tool("unclosed", "read", schema.StatusUnclosed, 4, 0)
	unclosed.Parent = "run"
	recordings := []querytest.Recording{
		{Session: "s", Stream: 1, Spans: []schema.Span{querytest.Run("run", schema.StatusOK, 1, 6), full, unclosed}},
		{Session: "s", Stream: 2, Spans: []schema.Span{late}},
	}
	db.Add(recordings...)
	r := query.NewReader(db.Conn)
	row := querytest.Must[*sessionstreams.Row](t)(sessionstreams.Find(t.Context(), r, db.Tenant, "s"))
	want := querytest.Must[[]spanmerge.Span](t)(spanmerge.OfSession(t.Context(), r, db.Tenant, row))
	facts, states := map[string]*block.Facts{}, []schema.StreamState{}
	for i := range recordings {
		b := recordings[i].Block()
		facts[b.State.StreamID], states = &b.Facts, append(states, b.State)
	}
	inMemory, _ := sessionstreams.OfStates("s", states)
	got := spanmerge.OfFacts(inMemory, facts)
	if len(want) != 3 {
		t.Errorf("%d spans, want 3", len(want))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("in memory (- in the database, + in memory):\n%s", d)
	}
}

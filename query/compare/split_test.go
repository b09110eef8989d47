package compare

import (
	"fmt"
	"testing"
)

// While a tool call with steps inside is in progress nothing waits: what no step inside takes of it is the tool's time.
func TestSplitOfCallsWithSteps(t *testing.T) {
	const ms = 1_000_000
	call := &step{kind: KindTool, begin: 200 * ms, end: 1000 * ms}
	first := &step{kind: KindModel, begin: 0, end: 100 * ms, first: 40 * ms}
	inner := &step{kind: KindModel, begin: 300 * ms, end: 400 * ms}
	read := &step{kind: KindTool, begin: 350 * ms, end: 600 * ms}
	last := &step{kind: KindModel, begin: 1050 * ms, end: 1100 * ms}
	node := &step{kind: KindNode, begin: 250 * ms, end: 950 * ms, children: []*step{inner, read}}
	call.children = []*step{node}
	measure([]*step{first, call, node, inner, read, last})
	for name, tc := range map[string]struct {
		st                     *step
		waiting, tool, produce string
	}{
		"the first call of a model": {first, "-", "-", "60"},
		"the tool call":             {call, "-", "500", "-"}, // 800 less 300 to 600
		"the node":                  {node, "-", "-", "-"},
		"a call of a model inside":  {inner, "100", "-", "100"}, // 100 to 200; then the tool call is in progress
		"a tool call inside":        {read, "0", "250", "-"},
		"the last call of a model":  {last, "50", "-", "50"},
	} {
		got := [3]string{text(tc.st.split.WaitingMS), text(tc.st.split.ToolMS), text(tc.st.split.GenerationMS)}
		if want := [3]string{tc.waiting, tc.tool, tc.produce}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The time of a call inside another is its own alone.
func TestSplitOfNestedCalls(t *testing.T) {
	const ms = 1_000_000
	leaf := &step{kind: KindTool, begin: 300 * ms, end: 400 * ms}
	inner := &step{kind: KindTool, begin: 200 * ms, end: 600 * ms, children: []*step{leaf}}
	outer := &step{kind: KindTool, begin: 100 * ms, end: 1000 * ms, children: []*step{inner}}
	measure([]*step{outer, inner, leaf})
	got := [3]string{text(outer.split.ToolMS), text(inner.split.ToolMS), text(leaf.split.ToolMS)}
	if want := [3]string{"500", "300", "100"}; got != want {
		t.Errorf("outer, inner, leaf: %v, want %v", got, want)
	}
}

func text(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprint(*ms)
}

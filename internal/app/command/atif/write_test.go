package atif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/app/tapefacts/tapefactstest"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The trajectory of the session in tapefactstest is the one that the rules of docs/opentelemetry.md make.
func TestTrajectory(t *testing.T) {
	text, err := os.ReadFile("testdata/trajectory.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var out, again bytes.Buffer
	if n, err := Write(&out, tapefactstest.Session(t)); n != 5 || err != nil {
		t.Fatalf("%d steps, want 5: %v", n, err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("- want, + written:\n%s", d)
	}
	if _, err := Write(&again, tapefactstest.Session(t)); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("the same session was written with other bytes: %v", err)
	}
}

// A trajectory has at least one step.
func TestEmpty(t *testing.T) {
	s := &tapefacts.Session{Row: &sessionstreams.Row{ID: "s"}, Spans: []spanmerge.Span{{ID: "run", Kind: "run", Status: "ok"}}}
	var out bytes.Buffer
	if n, err := Write(&out, s); !errors.Is(err, ErrEmpty) || n != 0 || out.Len() > 0 {
		t.Errorf("%d steps, %v, %q", n, err, out.String())
	}
}

// Sub-agents are embedded where they were called, also without steps of their own, and spans whose parents form
// a circle are written.
func TestSubAgents(t *testing.T) {
	node := func(id, parent, agent string) spanmerge.Span {
		return spanmerge.Span{ID: id, Parent: parent, Kind: "node", Agent: agent, Status: "ok"}
	}
	llm := func(id, parent string) spanmerge.Span {
		return spanmerge.Span{ID: id, Parent: parent, Kind: "llm", Status: "ok", Model: id}
	}
	s := &tapefacts.Session{Row: &sessionstreams.Row{ID: "s"}, Spans: []spanmerge.Span{
		{ID: "run", Kind: "run", Agent: "a", Status: "ok"}, node("outer", "run", "b"), node("inner", "outer", "c"), llm("m1", "inner"),
		node("unused", "run", "d"), node("x", "y", "e"), node("y", "x", "f"), llm("m2", "x"),
	}}
	root, steps := newBuilder(s).build()
	var described func(t *trajectory) string
	described = func(t *trajectory) string {
		text := t.TrajectoryID
		for _, s := range t.Steps {
			text += " " + s.Model
			if s.Observation != nil {
				text += fmt.Sprint(s.Observation.Results[0].SubAgents)
			}
		}
		for _, sub := range t.SubAgents {
			text += " (" + described(sub) + ")"
		}
		return text
	}
	if got, want := described(root), "s m2[{outer}] (outer [{inner}] (inner m1))"; got != want || steps != 3 {
		t.Errorf("%d steps\ngot  %s\nwant %s", steps, got, want)
	}
}

// A call of a tool belongs to the last step before it by time, also if a step was made for a call that none precedes.
func TestToolsOfNoModelCall(t *testing.T) {
	tool := func(id string, at int64) spanmerge.Span {
		return spanmerge.Span{ID: id, Parent: "run", Kind: "tool", Status: "ok", Started: at, Ended: at + 1}
	}
	llm := func(id string, at int64) spanmerge.Span {
		return spanmerge.Span{ID: id, Parent: "run", Kind: "llm", Status: "ok", Model: id, Started: at, Ended: at + 1}
	}
	s := &tapefacts.Session{Row: &sessionstreams.Row{ID: "s"}, Spans: []spanmerge.Span{
		{ID: "run", Kind: "run", Agent: "a", Status: "ok", Started: 1, Ended: 100},
		tool("t1", 2), llm("m1", 10), tool("t2", 20), llm("m2", 30), tool("t3", 40),
	}}
	root, _ := newBuilder(s).build()
	var got []string
	for _, s := range root.Steps {
		text := s.Model
		for _, c := range s.Calls {
			text += " " + c.ID
		}
		got = append(got, text)
	}
	if want := []string{" t1", "m1 t2", "m2 t3"}; !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
}

package anthropicagent

import (
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func played(t *testing.T, name string) *dialecttest.Outcome {
	t.Helper()
	frames := dialecttest.Case(t, "testdata/cases/"+name+".txtar")
	o, err := dialecttest.Play(Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, false })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// view returns the last version of a span in a stream.
func view(t *testing.T, o *dialecttest.Outcome, id string) schema.Span {
	t.Helper()
	var found *schema.Span
	for i := range o.Facts.Spans {
		if s := &o.Facts.Spans[i]; s.ID == id {
			found = s
		}
	}
	if found == nil {
		t.Fatalf("no facts of %s", id)
	}
	return *found
}

// One stream has the start of a run that waits, another its end. Both refer to the same run and
// calls, in the same session.
func TestRunGoesOnInAnotherStream(t *testing.T) {
	before, after := played(t, "pause"), played(t, "continuation")
	for _, id := range []string{"tool:toolu_8", "tool:toolu_9"} {
		waits, ended := view(t, before, id), view(t, after, id)
		if waits.Status != schema.StatusWaiting || waits.Started == 0 || ended.Status != schema.StatusOK || ended.Started != 0 || waits.Session != ended.Session {
			t.Errorf("%s: %+v, then %+v", id, waits, ended)
		}
	}
	waits, ended := view(t, before, "run:toolu_8"), view(t, after, "run:toolu_8")
	if waits.Status != schema.StatusWaiting || waits.Started == 0 || !ended.Status.Ended() || ended.Started != 0 || waits.Session != ended.Session {
		t.Errorf("the run: %+v, then %+v", waits, ended)
	}
	// The run waited again. To the second stream the earlier run is a part, and the whole run is
	// named after another call.
	if whole := view(t, after, "run:toolu_5"); ended.Kind != schema.SpanNode || ended.Parent != whole.ID || whole.Status != schema.StatusOK {
		t.Errorf("the whole is %+v, of which %+v is a part", whole, ended)
	}
}

// Runs of one agent do not merge because they have the same agent.
func TestRunsStayApart(t *testing.T) {
	for name, want := range map[string]int{"pause": 1, "continuation": 2, "unnamed": 2, "errors": 6} {
		runs := map[string]bool{}
		for _, s := range played(t, name).Facts.Spans {
			if s.Kind == schema.SpanRun {
				runs[s.ID] = true
			}
		}
		if name == "continuation" {
			delete(runs, "run:toolu_8") // it is a node now
		}
		if len(runs) != want {
			t.Errorf("%s: runs %v, want %d", name, runs, want)
		}
	}
}

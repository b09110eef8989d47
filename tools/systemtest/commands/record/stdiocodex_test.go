package record

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A client and an agent that speak the protocol of "codex app-server". Both are scripts written from
// its schema, since the real agent needs a login. The half second for which the person is asked is no
// time of the tool, and the client sees the same with the emulated agent.
func TestStdioCodex(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const session = "stdio-codex"
	type view struct {
		Methods, Asked       []string
		Text, Status, Thread string
		Exit                 int
	}
	var seen, emulated view
	agent, err := filepath.Abs(filepath.Join(library, "codex-server.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	client(t, s, &seen, "codex.mjs", session, "node", agent)
	if seen.Status != "completed" || seen.Text != "All passed." || len(seen.Methods) != 11 || !slices.Equal(seen.Asked, []string{"c1"}) {
		t.Errorf("the client saw %+v", seen)
	}
	talk(t, s, &emulated, "codex.mjs", "emulate", "stdio", session)
	if !reflect.DeepEqual(emulated, seen) {
		t.Errorf("with the emulated agent the client saw %+v, want %+v", emulated, seen)
	}
	d := s.Session(t, session)
	if tokens := d.Totals.Tokens; !slices.Equal(d.Dialects, []string{"codex-app-server"}) || d.Totals.Runs != 1 ||
		tokens.Input != 600 || tokens.CacheRead != 400 || tokens.Output != 150 || tokens.Reasoning != 50 {
		t.Errorf("dialects %v, totals %+v", d.Dialects, d.Totals)
	}
	var timeline struct{ Spans []timelineSpan }
	s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &timeline)
	tools := 0
	for _, x := range below(timeline.Spans) {
		if x.Kind != "tool" {
			continue
		}
		tools++
		if waited := x.Started.Sub(x.Attributes.Asked); x.Status != "ok" || waited < 490*time.Millisecond {
			t.Errorf("the tool is %s and began %v after the person was asked, who took half a second", x.Status, waited)
		}
	}
	if tools != 1 {
		t.Errorf("%d tools, want 1", tools)
	}
}

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/bounded"
)

// loomRun is a run as a Loom agent sends it.
const loomRun = `{"session_id":"r","node_id":"run-think-0","event_id":1,"type":"run_start","run_id":"r1","message":"What is it?"}
{"session_id":"r","node_id":"run-think-0","event_id":2,"type":"node_enter","id":"think"}
{"session_id":"r","node_id":"run-think-0","event_id":3,"type":"message_chunk","content":"Noon.","id":"think"}
{"session_id":"r","node_id":"run-think-0","event_id":4,"type":"tool_start","call_id":"c1","name":"clock"}
{"session_id":"r","node_id":"run-think-0","event_id":5,"type":"tool_end","call_id":"c1","name":"clock","result":"12:00","is_error":false}
{"session_id":"r","node_id":"run-think-0","event_id":6,"type":"usage","prompt_tokens":10,"completion_tokens":2,"total_tokens":12}
{"session_id":"r","node_id":"run-think-0","event_id":7,"type":"node_exit","id":"think","result":"Ok"}
{"session_id":"r","node_id":"run-think-0","event_id":8,"reply":"Noon."}
`

// A stream that was recorded as something else shows its run, its tool and its
// tokens once it was decoded anew, and plays the same bytes as ever.
func TestRedecode(t *testing.T) {
	s := sharedServer(t)
	file := textFile(t, []byte(loomRun))
	const id = "redecode/one" // a name that has to be escaped
	s.must(t, "record", "--session", id, "--dialect", "generic", file)
	s.must(t, "record", "--again", "--session", "redecode two", "--dialect", "generic", file)
	if out := s.must(t, "show", id); strings.Contains(out, "clock") {
		t.Fatalf("generic knows the tool:\n%s", out)
	}
	out := s.must(t, "redecode", id, "redecode two")
	if rows := strings.Split(strings.TrimSpace(out), "\n"); len(rows) != 3 || !strings.Contains(rows[0], "DIALECT") ||
		strings.Count(out, "generic → loom") != 2 || !strings.Contains(out, id) {
		t.Errorf("redecode:\n%s", out)
	}
	shown := s.must(t, "show", id)
	for _, want := range []string{"tool clock", "What is it?", "reply: Noon."} {
		if !strings.Contains(shown, want) {
			t.Errorf("show does not say %q:\n%s", want, shown)
		}
	}
	if raw := s.must(t, "play", id, "--format", "ndjson", "--speed", "max"); raw != loomRun {
		t.Errorf("it plays %q", raw)
	}
	if out := s.must(t, "frames", id); !strings.Contains(out, "tool_start") {
		t.Errorf("frames:\n%s", out)
	}

	var answer struct {
		Items []redecode.Result `json:"items"`
		Next  *string           `json:"next"`
	}
	if err := json.Unmarshal([]byte(s.must(t, "redecode", "--json", "--dialect", "generic", id)), &answer); err != nil || len(answer.Items) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	got := answer.Items[0].Streams[0]
	if got.DialectBefore != "loom" || got.DialectAfter != "generic" || got.Frames != 8 || got.Usages != 0 || !got.Ended {
		t.Errorf("%+v", got)
	}
	if out := s.must(t, "show", id); strings.Contains(out, "clock") {
		t.Errorf("facts that are no longer emitted:\n%s", out)
	}
	s.must(t, "redecode", id)
	if again := s.must(t, "show", id); again != shown {
		t.Errorf("there and back:\n%s\nwas\n%s", again, shown)
	}
}

func TestRedecodeRefusals(t *testing.T) {
	s := sharedServer(t)
	s.must(t, "record", "--session", "refused", textFile(t, []byte(loomRun)))
	for _, tc := range []struct {
		args []string
		exit int
		says []string
	}{
		{[]string{"redecode", "nobody", "refused"}, exitFailed, []string{"session nobody", "no session"}},
		{[]string{"redecode", "--dialect", "loon", "refused"}, exitUsage, []string{`"loon"`, "loom", "generic"}},
		{[]string{"redecode"}, exitUsage, []string{"session"}},
		{[]string{"redecode", "--server", "http://127.0.0.1:1", "refused"}, exitFailed, []string{"tapedeck up"}},
	} {
		_, stderr, exit := s.run(t, tc.args...)
		if exit != tc.exit {
			t.Errorf("%q: exit %d, want %d", tc.args, exit, tc.exit)
		}
		for _, want := range tc.says {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q does not say %q: %s", tc.args, want, stderr)
			}
		}
	}

	// One that is being recorded.
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(loomRun), 0o600); err != nil {
		t.Fatal(err)
	}
	follow := s.command(t, "record", "--session", "live", "--follow", log)
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = follow.Process.Kill() // ends with the test
		_ = bounded.Command(t, follow)
	}()
	bounded.Until(t, "the live session", func() bool {
		status, _, _ := s.get(t, "/v1/sessions/live")
		return status == http.StatusOK
	})
	if _, stderr, exit := s.run(t, "redecode", "live"); exit != exitFailed || !strings.Contains(stderr, "still being recorded") || !strings.Contains(stderr, "Try again") {
		t.Errorf("a running session: exit %d, %s", exit, stderr)
	}
}

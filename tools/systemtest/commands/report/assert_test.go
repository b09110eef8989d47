package report

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/command/assert"
	"tapedeck/internal/app/demo"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// release is the file of conditions for the release of the demo, which docs/assert.md shows.
const release = "docs/assert/release.yaml"

// The demo is recorded, exported and checked as in the CI of a project. Expectations are counted in the
// script of the demo, internal/app/demo/release.go: its seven calls of the model use 47 tokens of input,
// 41,928 from the cache, 14,342 into the cache and 655 of output, which are 56,972 together. At 3, 0.30, 3.75
// and 15 dollars a million they cost 0.0763269 dollars.
func TestAssertDemo(t *testing.T) {
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	s, err := commandtest.StartUp(t, filepath.Join(dir, "data"), "--demo")
	if err != nil {
		t.Fatal(err)
	}
	for session, status := range map[string]sessionhead.Status{demo.ReleaseSession: sessionhead.Fine, demo.FailedSession: sessionhead.Failed} {
		bounded.Until(t, "the end of "+session, func() bool {
			_, body, _ := s.Get(t, "/v1/sessions/"+session)
			var head sessionhead.Head
			return json.Unmarshal(body, &head) == nil && head.Status == status
		})
	}
	good, bad := filepath.Join(dir, "good.tape"), filepath.Join(dir, "bad.tape")
	s.Must(t, "export", demo.ReleaseSession, "-o", good)
	s.Must(t, "export", demo.FailedSession, "-o", bad)
	conditions := filepath.Join(commandtest.Repository(t), release)

	out, stderr, exit := commandtest.Alone(t, "assert", good, "--file", conditions, "--json")
	var r assert.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || exit != 0 || !r.Passed || r.SessionID != demo.ReleaseSession {
		t.Fatalf("exit %d, %v, %s\n%s", exit, err, stderr, out)
	}
	actual := map[string]string{}
	for _, a := range r.Assertions {
		actual[a.Name] = a.Actual
	}
	for name, want := range map[string]string{
		"fails": "status ok", "tokens": "56,972", "cost": "0.0763269 USD", "tool_errors": "0", "calls.Bash": "2", "calls.Read": "2", "calls.Write": "0",
		"arguments[0]": `"make test"`,
	} {
		if actual[name] != want {
			t.Errorf("%s: %q, want %q", name, actual[name], want)
		}
	}
	// The server reports the same of its session, at its own prices.
	for _, recording := range []string{demo.ReleaseSession, good} {
		if out := s.Must(t, "assert", recording, "--file", conditions, "--same-steps", demo.ReleaseSession); !strings.Contains(out, "0.0763269 USD") {
			t.Errorf("%s:\n%s", recording, out)
		}
	}

	junit := filepath.Join(dir, "results.xml")
	out, stderr, exit = commandtest.Alone(t, "assert", bad, "--file", conditions, "--junit", junit, "--same-steps", good)
	if exit != 1 || stderr != "" {
		t.Errorf("the failed release: exit %d, %s\n%s", exit, stderr, out)
	}
	// Bash is called once, and fails; the release is not deployed.
	commandtest.Contains(t, "the failed release", out, "status error", "tool Bash tool:toolu_tests", "order", "no call of Bash after that of Bash",
		"the result of Bash differs", " failed: "+bad)
	var suites struct {
		Suite struct {
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	text, err := os.ReadFile(junit)
	if err == nil {
		err = xml.Unmarshal(text, &suites)
	}
	// The status, the tokens, tool_errors, calls.Bash, the order, two texts and the steps.
	if err != nil || suites.Suite.Failures != 8 {
		t.Errorf("%v, %d failures, want 8\n%s", err, suites.Suite.Failures, text)
	}
	if _, err := s.Stop(); err != nil {
		t.Errorf("%v\n%s", err, s.Log)
	}
}

// What cannot be checked ends with exit code 2 and says why.
func TestAssertRefuses(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	cmd := s.Command(t, "record", "--session", "assert-running", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = in.Write([]byte(`{"type":"system","subtype":"init","session_id":"assert-running","model":"claude-sonnet-4-5","tools":[],"uuid":"u"}` + "\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "a running session", func() bool { return s.Session(t, "assert-running").Status == sessionhead.Running })
	running := filepath.Join(t.TempDir(), "running.tape")
	s.Must(t, "export", "assert-running", "-o", running)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"assert-running", "--no-fails"}, `session "assert-running" has not ended`},
		{[]string{running, "--no-fails"}, "has no end"},
		{[]string{"assert-nowhere", "--no-fails"}, `There is no session "assert-nowhere"`},
		{[]string{"assert-running"}, "nothing is asserted"},
		{[]string{"assert-running", "--max-cost", "-1"}, "--max-cost"},
		{[]string{"assert-running", "--tool", "x=2..1"}, "contradiction"},
		{[]string{"assert-running", "--words", "--no-fails"}, "--words goes with --same-steps"},
		{[]string{"assert-running", "--answer-matches", "("}, "--answer-matches"},
		{[]string{"assert-running", "--fails", "--no-fails"}, "can't be used together"},
		{[]string{"assert-running", "--session", "x", "--no-fails"}, "--session goes with a tape file"},
	} {
		if out, stderr, exit := s.Run(t, append([]string{"assert"}, tc.args...)...); exit != commandtest.ExitUsage || !strings.Contains(stderr, tc.want) {
			t.Errorf("assert %q: exit %d, %s%s, want %q", tc.args, exit, out, stderr, tc.want)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// The page shows the file that the test of the demo uses.
func TestAssertPageShowsFile(t *testing.T) {
	if page, file := commandtest.ReadPage(t, "docs/assert.md"), commandtest.ReadPage(t, release); !strings.Contains(page, "```yaml\n"+file+"```") {
		t.Errorf("docs/assert.md does not show %s", release)
	}
}

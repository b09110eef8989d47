// Package test tests the scripts that run tests.
package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// programs writes shell scripts that stand for programs, and returns their folder.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// long runs long.sh with the given programs first on PATH, and returns its output.
func long(t *testing.T, scripts map[string]string, args ...string) (output string, failed bool) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"long.sh"}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+programs(t, scripts)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err != nil
}

// git lists one package with long tests.
const git = `echo tools/systemtest/torture/main_test.go`

func TestLongParts(t *testing.T) {
	for _, c := range []struct {
		name         string
		scripts      map[string]string
		failed       bool
		says, silent []string
	}{
		{
			name:    "all pass",
			scripts: map[string]string{"git": git, "make": "exit 0", "npm": "exit 0", "go": "exit 0"},
			says:    []string{"passed long tools/systemtest/torture (", "passed race 1/24 (", "passed race 24/24 (", "passed fuzz 12/12 (", "passed pages 4/4 ("},
			silent:  []string{"FAILED"},
		},
		{
			name:    "a long test fails",
			scripts: map[string]string{"git": git, "make": "exit 0", "npm": "exit 0", "go": `case "$*" in *torture*) echo "--- FAIL: TestTorture"; exit 1;; esac`},
			failed:  true,
			says:    []string{"FAILED long tools/systemtest/torture (", "--- FAIL: TestTorture", "passed race 1/24 ("},
		},
		{
			name:    "a test fails under the race detector",
			scripts: map[string]string{"git": git, "make": "exit 0", "npm": "exit 0", "go": `case "$*" in *-race*) echo "--- FAIL: TestSlow (3s)"; exit 1;; list*) echo a;; esac`},
			says:    []string{"no race, but tests failed: TestSlow; race 1/24 ("},
			silent:  []string{"FAILED"},
		},
		{
			name:    "a race",
			scripts: map[string]string{"git": git, "make": "exit 0", "npm": "exit 0", "go": `case "$*" in *-race*) echo "WARNING: DATA RACE"; exit 66;; list*) echo a;; esac`},
			failed:  true,
			says:    []string{"FAILED race 1/24 (", "WARNING: DATA RACE"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			output, failed := long(t, c.scripts)
			if failed != c.failed {
				t.Errorf("failed: %v, want %v", failed, c.failed)
			}
			for _, text := range c.says {
				if !strings.Contains(output, text) {
					t.Errorf("the output lacks %q", text)
				}
			}
			for _, text := range c.silent {
				if strings.Contains(output, text) {
					t.Errorf("the output has %q", text)
				}
			}
			if t.Failed() {
				t.Log(output)
			}
		})
	}
}

// With no time left nothing runs, and each part is named.
func TestLongWithoutTime(t *testing.T) {
	sharded, err := os.ReadFile("sharded")
	if err != nil {
		t.Fatal(err)
	}
	output, failed := long(t, map[string]string{"git": git, "make": "exit 1", "npm": "exit 1", "go": "exit 1"}, "0")
	want := 1 + 24 + 12 + 4 + strings.Count(string(sharded), "\n") // the package with long tests, race, fuzz, pages, shards
	if n := strings.Count(output, "not run: "); failed || n != want {
		t.Errorf("failed: %v, %d parts are named, want %d\n%s", failed, n, want, output)
	}
}

// The end of the time is no finding: such a run is listed, and the next fuzz tests run.
func TestFuzzEnds(t *testing.T) {
	late := `echo 'fuzz: elapsed: 3s, execs: 5 (0/sec), new interesting: 1 (total: 2)
--- FAIL: FuzzX (3.07s)
    context deadline exceeded
FAIL
exit status 1
FAIL	tapedeck/x	3.075s'; exit 1`
	grep, err := exec.LookPath("grep")
	if err != nil {
		t.Fatal(err)
	}
	found := `case "$*" in *--include*) echo './ingest/dialect/members_test.go:func FuzzMembers' ;; *) exec ` + grep + ` "$@" ;; esac`
	for _, c := range []struct {
		name, run string
		failed    bool
		says      string
	}{
		{"passes", "exit 0", false, "FuzzMembers"},
		{"ends late", late, false, "ended late, without a finding (golang/go#75804): ./ingest/dialect:FuzzMembers"},
		{"finds an input", strings.Replace(late, "FAIL\n", "    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n", 1), true, "Failing input written"},
		{"fails otherwise", "echo '--- FAIL: FuzzX (0.1s)'; exit 1", true, "--- FAIL: FuzzX"},
		{"does not compile", "echo 'FAIL\ttapedeck/x [build failed]'; exit 1", true, "[build failed]"},
	} {
		cmd := exec.Command("sh", "fuzz.sh", "1s", "1/1")
		cmd.Env = append(os.Environ(), "PATH="+programs(t, map[string]string{"go": c.run, "grep": found})+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if failed := err != nil; failed != c.failed || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: failed %v, want %v and %q\n%s", c.name, failed, c.failed, c.says, out)
		}
	}
}

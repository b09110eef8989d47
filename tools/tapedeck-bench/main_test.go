package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/programtest"
)

// runAsCommand makes the test binary the tapedeck-bench command.
const runAsCommand = "TAPEDECK_TEST_COMMAND"

func TestMain(m *testing.M) {
	engine.RunIfChild()
	if os.Getenv(runAsCommand) != "" {
		_ = os.Unsetenv(runAsCommand)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// prepare returns the tapedeck program, a directory of the test, and the environment in which tapedeck-bench
// runs.
func prepare(t *testing.T) (env []string, program, dir string) {
	t.Helper()
	dir = t.TempDir()
	return append(programtest.Environ(t), runAsCommand+"=1", "TMPDIR="+dir), programtest.Path(t), dir
}

// command returns tapedeck-bench with arguments.
func command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = env
	return cmd
}

// Every part of the benchmark but the peer measures something. The figures are
// not checked: this runs beside other tests.
func TestQuick(t *testing.T) {
	fulltest.Long(t)
	env, program, dir := prepare(t)
	dialects, out := filepath.Join(dir, "dialects.txt"), filepath.Join(dir, "report.md")
	kept := filepath.Join(dir, "report.json")
	if err := os.WriteFile(dialects, []byte("pkg: tapedeck/ingest/dialect/loom\nBenchmarkLines-2 100 10 ns/op 5 frames/s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := command(env, "--program", program, "--quick", "--frames", "200000", "--dialects", dialects, "--json", kept, "--out", out).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	report, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for section := range strings.SplitSeq(string(report), "\n## ") {
		if strings.Contains(section, "Not measured in this run") {
			missing++
		}
	}
	if missing != 1 { // the peer
		t.Errorf("%d parts were not measured", missing)
	}
	for _, want := range []string{"| frames lost | 0 |", "| loom | Lines | 5 |", "raw JetStream", "ClickHouse alone", "| fsynced |", "**end to end**",
		"### texts of 4 KB, short sessions", "### texts of 4 KB, long sessions", "### a home of Claude Code", "### SSE deltas of 200 B", "### OTLP spans of 1 KB",
		"1,100 frames, 5.0 MB, 10 sessions", "20,040 frames, 4.3 MB, 20 sessions", "ClickHouse in all, of the plain inserts"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", report)
	}
	again, err := command(env, "render", kept).Output()
	if err != nil || string(again) != string(report) {
		t.Errorf("the page of the kept results differs: %v\n%s", err, again)
	}
	left, err := filepath.Glob(filepath.Join(dir, "tapedeck-bench-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A measurement that fails prints no page, writes none, and ends with an error that names it.
func TestFailedMeasurement(t *testing.T) {
	t.Run("the server does not start", func(t *testing.T) {
		failedMeasurement(t, append(os.Environ(), runAsCommand+"=1"), "exit 3", "tapedeck up failed")
	})
	t.Run("the command fails", func(t *testing.T) {
		fulltest.Long(t)
		env, program, _ := prepare(t)
		failedMeasurement(t, env, `case $1 in record) echo "no more space" >&2; exit 1;; esac; exec "`+program+`" "$@"`, "no more space")
	})
}

// failedMeasurement measures a program whose commands other than version are a script.
func failedMeasurement(t *testing.T, env []string, script, want string) {
	t.Helper()
	dir := t.TempDir()
	program, out := filepath.Join(dir, "tapedeck"), filepath.Join(dir, "page.md")
	text := "#!/bin/sh\nif [ \"$1\" = version ]; then echo '{\"version\":\"1\"}'; exit 0; fi\n" + script + "\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := command(env, "--program", program, "--quick", "--frames", "1000", "--only", "whole", "--out", out, "--json", out+".json")
	var said strings.Builder
	cmd.Stderr = &said
	page, err := cmd.Output()
	if err == nil || len(page) > 0 || !strings.Contains(said.String(), "measure end to end") || !strings.Contains(said.String(), want) {
		t.Errorf("%v, page %q, error output %q, want %q", err, page, said.String(), want)
	}
	for _, path := range []string{out, out + ".json"} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s was written: %v", path, err)
		}
	}
}

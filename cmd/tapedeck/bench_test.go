package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every part of the benchmark but the peer measures something. What it measures
// is not looked at: this runs beside other tests.
func TestBenchQuick(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	dialects, out := filepath.Join(dir, "dialects.txt"), filepath.Join(dir, "report.md")
	if err := os.WriteFile(dialects, []byte("pkg: tapedeck/ingest/dialect/loom\nBenchmarkLines-2 100 10 ns/op 5 frames/s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "bench", "--quick", "--frames", "200000", "--dialects", dialects, "--out", out)
	cmd.Env = append(os.Environ(), runAsCommand+"=1", "TMPDIR="+dir)
	printed, err := cmd.CombinedOutput()
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
	for _, want := range []string{"| frames lost | 0 |", "| loom | Lines | 5 |", "raw JetStream", "ClickHouse alone", "| fsynced |", "**end to end**"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", report)
	}
	left, err := filepath.Glob(filepath.Join(dir, "tapedeck-bench-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

var scaleFrames = flag.Int("scale-frames", 100_000, "frames of the data set of TestScale; 2000000 are a fiftieth of the whole")

// The data set is filled, the answers of the API equal the counts of its generator, and
// a second run takes the data set from its directory. The figures are not checked.
func TestScale(t *testing.T) {
	fulltest.Long(t)
	env, program, dir := prepare(t)
	data, out := filepath.Join(dir, "data"), filepath.Join(dir, "scale.md")
	for run, filled := range []bool{true, false} {
		printed, err := command(env, "scale", "--program", program, "--frames", strconv.Itoa(*scaleFrames), "--seed", "7",
			"--dir", data, "--requests", "2", "--out", out).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		report, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(report), "Filled in") != filled || !strings.Contains(string(report), "smaller data set") ||
			!strings.Contains(string(report), "by month × customer × model, p95") {
			t.Errorf("run %d:\n%s", run, report)
		}
	}
	for _, tc := range []struct {
		name, want string
		args       []string
	}{
		{"another data set", "holds another data set", []string{"--frames", "1000", "--dir", data}},
		{"files that are none", "holds files and no data set", []string{"--dir", dir}},
		{"a limit", "the limit is 1.0 GB", []string{"--disk-limit", "1GB"}},
		{"no frames", "at least 1 frame", []string{"--frames=-1"}},
		{"no size", "it is no size", []string{"--disk-limit", "much"}},
	} {
		printed, err := command(env, append([]string{"scale", "--program", program, "--seed", "7"}, tc.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(printed), tc.want) {
			t.Errorf("%s: %v: %s", tc.name, err, printed)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tapedeck-scale-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

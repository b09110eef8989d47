package prometheus

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// checking is a call of internal/metric/metrictest, which fails while a metric stays at 0.
	checking = regexp.MustCompile(`\b(?:Show|Grow)\(t, ("tapedeck_[^)]*)\)`)
	named    = regexp.MustCompile(`"(tapedeck_\w+)"`)
)

// movedByTests returns the metrics that tests of the repository check by metrictest.
func movedByTests(t *testing.T) map[string]bool {
	t.Helper()
	moved := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || name == ".git" || name == "metrictest"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, call := range checking.FindAllSubmatch(text, -1) {
			for _, m := range named.FindAllSubmatch(call[1], -1) {
				moved[string(m[1])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

// checkMoved checks that each metric of the reference had a value other than 0: in the servers of this test, or in
// another one, in which metrictest checks it.
func checkMoved(t *testing.T, well, bad scraped) {
	t.Helper()
	byTests, known, moved := movedByTests(t), map[string]bool{}, 0
	for _, m := range inTable.FindAllStringSubmatch(read(t, "../../docs/reference/metrics.md"), -1) {
		known[m[1]] = true
		switch {
		case well.moves(m[1]) || bad.moves(m[1]):
			moved++
		case !byTests[m[1]]:
			t.Errorf("no server of the test moves %s from 0: a test of the package that counts it has to name it in a call of metrictest", m[1])
		}
	}
	if moved < 50 {
		t.Errorf("%d metrics were moved", moved)
	}
	for name := range byTests {
		if !known[name] {
			t.Errorf("a call of metrictest names %s, which is no metric", name)
		}
	}
}

// anyMatches reports whether the name of a metric matches.
func anyMatches(metrics map[string]bool, pattern *regexp.Regexp) bool {
	for name := range metrics {
		if pattern.MatchString(name) {
			return true
		}
	}
	return false
}

package prometheus

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// movedByTests returns the metrics that tests of the repository check by internal/metric/metrictest: such a test
// fails while a metric stays at 0.
func movedByTests(t *testing.T) map[string]bool {
	t.Helper()
	moved, files := map[string]bool{}, token.NewFileSet()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); name == "testdata" || name == "node_modules" || name == "bin" || strings.HasPrefix(name, ".") && name != ".." || name == "metrictest" {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), `"tapedeck/internal/metric/metrictest"`) {
			return err
		}
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, name := range checkedBy(n) {
				moved[name] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

// checkedBy returns the metrics that a call of metrictest names.
func checkedBy(n ast.Node) (names []string) {
	call, is := n.(*ast.CallExpr)
	if !is {
		return nil
	}
	if f, is := call.Fun.(*ast.SelectorExpr); !is || f.Sel.Name != "Show" && f.Sel.Name != "Grow" {
		return nil
	}
	for _, arg := range call.Args {
		if text, is := arg.(*ast.BasicLit); is && text.Kind == token.STRING {
			if name, err := strconv.Unquote(text.Value); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
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

package prometheus

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// rulestest is the program in testdata/rulestest.txt: Prometheus's own tests of rules.
type rulestest struct{ path string }

// build compiles the program, which is no package of this module, together with unittest.go of promtool in the version
// of tools/promtool.mod. Service discoveries are left out, since rules do not need them.
func build(t *testing.T) rulestest {
	t.Helper()
	const modules = "-modfile=../../tools/promtool.mod"
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", modules, "-json", "github.com/prometheus/prometheus").Output()
	var module struct{ Dir, Error string }
	if err != nil || json.Unmarshal(out, &module) != nil || module.Error != "" {
		t.Fatalf("the source of Prometheus: %v\n%s", err, out)
	}
	dir := t.TempDir()
	args := []string{"build", modules, "-tags=remove_all_sd", "-ldflags=-s -w", "-o", filepath.Join(dir, "rulestest")}
	for name, path := range map[string]string{"main.go": "testdata/rulestest.txt", "unittest.go": filepath.Join(module.Dir, "cmd", "promtool", "unittest.go")} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(read(t, path)), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return rulestest{filepath.Join(dir, "rulestest")}
}

func (r rulestest) run(t *testing.T, in []byte, args ...string) (out []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.path, args...)
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &problems
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("rulestest %v: %v\n%s", args, err, &problems)
	}
	return out
}

// expression lists the selectors of an expression: see testdata/rulestest.txt.
type expression struct {
	Selectors []struct{ Text, Range string }
	Compared  string
}

// parse parses the expressions of rules with Prometheus's parser.
func (r rulestest) parse(t *testing.T, list []rule) []expression {
	t.Helper()
	var texts []string
	for _, of := range list {
		texts = append(texts, strings.TrimSpace(of.Expr))
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	var parsed []expression
	if err := json.Unmarshal(r.run(t, in, "parse"), &parsed); err != nil || len(parsed) != len(list) {
		t.Fatalf("%d of %d expressions were parsed, %v", len(parsed), len(list), err)
	}
	return parsed
}

// By Prometheus itself: the rules are valid, their unit tests pass, and servers report the series that rules,
// dashboards and the runbook read.
func TestPrometheus(t *testing.T) {
	fulltest.Long(t)
	tool := build(t)
	t.Run("units", func(t *testing.T) { tool.run(t, nil, append([]string{"test"}, testFiles(t)...)...) })
	t.Run("scrapes", func(t *testing.T) { testScrapes(t, tool) })
}

// No two rules have the same name.
func TestNamesDiffer(t *testing.T) {
	known := map[string]bool{}
	for _, r := range readRules(t) {
		if name := r.Alert + r.Record; known[name] {
			t.Errorf("two rules are called %s", name)
		} else {
			known[name] = true
		}
	}
}

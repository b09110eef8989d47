package helm

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// build compiles a program for the duration of a test. dir is the directory of its module.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-C", dir, "-o", path, pkg).CombinedOutput(); err != nil {
		fulltest.Missing(t, "build", pkg, err, string(out))
	}
	return path
}

// schemas is the module whose files describe the kinds of Kubernetes.
const schemas = "sigs.k8s.io/kubectl-validate"

// renderer renders files of values.
type renderer struct{ program, schemas string }

func newRenderer(t *testing.T) *renderer {
	t.Helper()
	program := build(t, "../../tools/helmrender", ".")
	download := exec.Command("go", "mod", "download", "-json", schemas)
	download.Dir = "../../tools/helmrender"
	text, err := download.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(text, &module) != nil || module.Dir == "" {
		fulltest.Missing(t, "go mod download", schemas, err, string(text))
	}
	return &renderer{program, filepath.Join(module.Dir, "pkg/openapiclient/builtins/1.30")}
}

// render returns one result for each file. A token in place of TOKEN is a generated one:
// scanners for secrets would find the form of a real one in the files.
func (r *renderer) render(t *testing.T, files ...string) []result {
	t.Helper()
	dir := t.TempDir()
	args := []string{"--schemas", r.schemas, "tapedeck"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(copied, []byte(strings.ReplaceAll(string(text), "TOKEN", access.NewTokenText())), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, copied)
	}
	var out, diag bytes.Buffer
	cmd := exec.Command(r.program, args...)
	cmd.Stdout, cmd.Stderr = &out, &diag
	if err := cmd.Run(); err != nil {
		t.Fatalf("render: %v\n%s", err, diag.Bytes())
	}
	var results []result
	if err := json.Unmarshal(out.Bytes(), &results); err != nil || len(results) != len(files) {
		t.Fatalf("render printed %d results for %d files: %v", len(results), len(files), err)
	}
	return results
}

// valueSets renders values/*.yaml.
func (r *renderer) valueSets(t *testing.T) []result {
	t.Helper()
	files, err := filepath.Glob("values/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of values: %v", len(files), err)
	}
	return r.render(t, files...)
}

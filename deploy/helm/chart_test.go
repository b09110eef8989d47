package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// TestChart renders every file of values and checks the objects.
func TestChart(t *testing.T) {
	fulltest.Long(t)
	r := newRenderer(t)
	sets := r.valueSets(t)
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set.Values), ".yaml"), func(t *testing.T) {
			checkAccepted(t, &set)
			for name, check := range map[string]func(*testing.T, *result){
				"selectors": checkSelectors, "ports": checkPorts, "security": checkSecurity, "files": checkFiles,
				"stop": checkStop, "state": checkState, "network": checkNetwork, "ingress": checkIngress, "monitoring": checkMonitoring,
			} {
				t.Run(name, func(t *testing.T) { check(t, &set) })
			}
		})
	}
	t.Run("refused", func(t *testing.T) { testRefused(t, r) })
	t.Run("program", func(t *testing.T) { testProgram(t, r, sets) })
}

// checkAccepted checks that "helm template" and "helm lint" report nothing, and that the API
// server would take every object, unknown fields refused.
func checkAccepted(t *testing.T, r *result) {
	if r.Error != "" {
		t.Fatal(r.Error)
	}
	for _, bad := range append(r.Lint, r.Invalid...) {
		t.Error(bad)
	}
	if !strings.Contains(r.Notes, "tapedeck tokens create") || strings.Contains(r.Notes, "<no value>") {
		t.Errorf("notes:\n%s", r.Notes)
	}
	names := map[string]bool{}
	for _, o := range r.Objects {
		key := o.Kind + " " + o.Metadata.Name
		if o.Metadata.Namespace != "agents" || o.Metadata.Name == "" || names[key] {
			t.Errorf("%s in the namespace %q: the name is missing or used twice, or the namespace is another", key, o.Metadata.Namespace)
		}
		names[key] = true
	}
}

// testRefused renders files that begin with the name that their error must have.
func testRefused(t *testing.T, r *renderer) {
	files, err := filepath.Glob("refused/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, set := range r.render(t, files...) {
		t.Run(filepath.Base(set.Values), func(t *testing.T) {
			text, err := os.ReadFile(set.Values)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(text), "\n")
			if key := strings.TrimPrefix(line, "# "); !strings.Contains(set.Error, key) {
				t.Errorf("the error does not name %q: %q", key, set.Error)
			}
		})
	}
}

// The chart installs the program of its own version.
func TestVersion(t *testing.T) {
	version, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	chart, err := os.ReadFile("tapedeck/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := `appVersion: "` + strings.TrimSpace(string(version)) + `"`; !strings.Contains(string(chart), want) {
		t.Errorf("Chart.yaml has no %s", want)
	}
}

package prometheus

import (
	"os/exec"
	"testing"

	"tapedeck/internal/fulltest"
)

// promtool runs Prometheus's own tool, without service discoveries, which the rules do not need.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	// Not "go tool", which takes no tags.
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "-modfile=../../tools/promtool.mod", "-tags=remove_all_sd", "github.com/prometheus/prometheus/cmd/promtool"}, args...)...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, output)
	}
}

// The rules are valid, and their unit tests pass.
func TestPromtool(t *testing.T) {
	if !fulltest.Wanted() {
		t.Skip("skipped: promtool takes minutes to compile; " + fulltest.Env + "=1 runs it")
	}
	promtool(t, "check", "rules", "--lint=all", "--lint-fatal", "rules.yml")
	promtool(t, append([]string{"test", "rules"}, testFiles(t)...)...)
}

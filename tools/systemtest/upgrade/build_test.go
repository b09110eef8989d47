package upgrade

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// previous is the commit of the version that an upgrade begins with.
//
//go:embed previous
var previous string

// buildPrevious returns the program of the previous version. It is built once for each
// commit, in the user's cache.
func buildPrevious(t *testing.T) string {
	t.Helper()
	commit := strings.TrimSpace(previous)
	root := strings.TrimSpace(run(t, ".", "git", "rev-parse", "--show-toplevel"))
	check := exec.Command("git", "cat-file", "-e", commit+"^{commit}")
	check.Dir = root
	if err := check.Run(); err != nil {
		fulltest.Missing(t, fmt.Sprintf("the commit %s of tools/systemtest/upgrade/previous is not in this clone: fetch the history (git fetch --unshallow)", commit))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(cache, "tapedeck", "upgrade")
	program := filepath.Join(home, "tapedeck-"+commit[:12])
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	archive := filepath.Join(t.TempDir(), "source.tar")
	run(t, root, "git", "archive", "--format=tar", "--output", archive, commit)
	run(t, source, "tar", "-xf", archive)
	// Under another name first, so that an interrupted build leaves no incomplete program.
	part := filepath.Join(t.TempDir(), "tapedeck")
	run(t, source, "go", "build", "-trimpath", "-buildvcs=false", "-o", part, "./cmd/tapedeck")
	data, err := os.ReadFile(part)
	if err == nil {
		err = os.WriteFile(program+".part", data, 0o755)
	}
	if err == nil {
		err = os.Rename(program+".part", program)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// run runs a command in a directory and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as make builds: most packages are built already
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// command runs a command and returns all that it printed.
func command(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

package operate

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// TestNoCodeFromWorkingDirectory starts the program in a folder of others that looks like a clone of tapedeck, with a
// library of its own and a clickhouse program: neither is loaded, and neither is named as the engine.
func TestNoCodeFromWorkingDirectory(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	platform := map[string]string{"linux/amd64": "lib-linux-x64-gnu", "linux/arm64": "lib-linux-arm64-gnu", "darwin/amd64": "lib-darwin-x64", "darwin/arm64": "lib-darwin-arm64"}
	inside := filepath.Join(dir, "a", "b")
	for path, mode := range map[string]os.FileMode{
		"go.mod":     0o644,
		"clickhouse": 0o755,
		"bin/engine/node_modules/@chdb/" + platform[runtime.GOOS+"/"+runtime.GOARCH] + "/libchdb.so": 0o644,
		"engine/node_modules/@chdb/" + platform[runtime.GOOS+"/"+runtime.GOARCH] + "/libchdb.so":     0o644,
		"a/b/clickhouse": 0o755,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "#!/bin/sh\ntouch " + dir + "/was-run\necho 'ClickHouse server version 26.7.1.1.'\n"
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=.::/usr/bin:/bin", "HOME=" + dir, "XDG_DATA_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	program := besideNothing(t)
	for _, cwd := range []string{dir, inside} {
		cmd := exec.CommandContext(t.Context(), program, "up", "--listen", "127.0.0.1:0")
		cmd.Dir, cmd.Env = cwd, env
		_, diag, exit := commandtest.Finish(t, cmd)
		_, looked, _ := strings.Cut(diag, "looked at: ")
		if exit != commandtest.ExitFailed || !strings.Contains(diag, engine.ErrNotFound.Error()) || strings.Contains(looked, dir) {
			t.Errorf("up in %s: exit %d\n%s", cwd, exit, diag)
		}
		cmd = exec.CommandContext(t.Context(), program, "doctor")
		cmd.Dir, cmd.Env = cwd, env
		if out, _, _ := commandtest.Finish(t, cmd); strings.Contains(out, filepath.Join(dir, "bin")) || strings.Contains(out, filepath.Join(dir, "engine")) {
			t.Errorf("doctor in %s:\n%s", cwd, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("the clickhouse of the working directory was run")
	}
}

// besideNothing returns the program in a folder without an engine.
func besideNothing(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tapedeck")
	from := programtest.Path(t)
	if os.Link(from, path) == nil {
		return path
	}
	text, err := os.ReadFile(from) // of another file system
	if err == nil {
		err = os.WriteFile(path, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

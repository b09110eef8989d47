package agenthooks

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRepositoryOf(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/acme/app.git":                   "github.com/acme/app",
		"https://me:secret@git.example.com:8443/acme/app/":  "git.example.com/acme/app",
		"git@github.com:acme/app.git":                       "github.com/acme/app",
		"ssh://git@github.com/acme/app":                     "github.com/acme/app",
		"host:/srv/git/app.git":                             "host/srv/git/app",
		"/srv/git/app.git":                                  "app",
		"https://me:%zz@host/app":                           "",
		"":                                                  "",
		"https://ghp_0123456789abcdef@github.com/acme/app/": "github.com/acme/app",
	} {
		if got := repositoryOf(remote); got != want {
			t.Errorf("%s: %q, want %q", remote, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := filepath.Join(t.TempDir(), "app")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	is := func(want map[string]string) {
		t.Helper()
		if got := Tags(t.Context(), dir); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	is(map[string]string{})
	git("init", "-q", "-b", "fix/it")
	is(map[string]string{"repository": "app", "branch": "fix/it"})
	git("commit", "-q", "--allow-empty", "-m", "x")
	commit := git("rev-parse", "HEAD")
	git("remote", "add", "origin", "https://me:secret@localhost/acme/app.git")
	is(map[string]string{"repository": "localhost/acme/app", "branch": "fix/it", "commit": commit})
	git("checkout", "-q", "--detach")
	is(map[string]string{"repository": "localhost/acme/app", "commit": commit})
	if got := Tags(t.Context(), ""); len(got) > 0 {
		t.Errorf("without a folder: %v", got)
	}
}

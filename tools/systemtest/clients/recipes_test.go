package clients

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
)

const recipes = "../../../docs/recipes"

// recipe runs a command of a recipe, with the program on PATH.
func recipe(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(programtest.Path(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("ok")) && !bytes.Contains(out, []byte("1 passed")) {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func TestGoRecipe(t *testing.T) {
	t.Parallel()
	env := []string{"GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off"}
	recipe(t, filepath.Join(recipes, "gotest"), env, "go", "test", "-count=1", ".")
}

func TestPlaywrightRecipe(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	if err := install(); err != nil {
		lack(t, err)
	}
	found, err := browser()
	if err != nil {
		lack(t, err)
	}
	dir := t.TempDir() // the runner writes beside the tests
	check(t, os.CopyFS(dir, os.DirFS(filepath.Join(recipes, "playwright"))))
	here, err := os.Getwd()
	check(t, err)
	check(t, os.Symlink(filepath.Join(here, "node_modules"), filepath.Join(dir, "node_modules")))
	env := []string{"CHROMIUM=" + found, "PWTEST_CACHE_DIR=" + filepath.Join(dir, "cache")}
	recipe(t, dir, env, "node", "node_modules/@playwright/test/cli.js", "test", "--reporter=line", "--workers=1")
}

// The page shows the commands that these tests run.
func TestRecipesQuoted(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(recipes, "fixture-server.md"))
	check(t, err)
	quoted := map[string]string{}
	name := ""
	for line := range strings.Lines(string(page)) {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && name != "":
			name = ""
		case isFence:
			if words := strings.Fields(fence); len(words) == 2 {
				name = words[1]
			}
		case name != "":
			quoted[name] += line
		}
	}
	for _, want := range []string{
		"gotest/tapedeck_test.go", "gotest/agent_test.go",
		"playwright/tapedeck.js", "playwright/chat.spec.js", "playwright/playwright.config.js",
	} {
		if quoted[want] == "" {
			t.Errorf("the page does not quote %s", want)
		}
	}
	for name, got := range quoted {
		file, err := os.ReadFile(filepath.Join(recipes, name))
		check(t, err)
		same(t, got, string(file))
	}
}

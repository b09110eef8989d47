package commandtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/markdown"
)

// Shells are the languages of blocks whose commands are run.
var Shells = []string{"sh", "bash", "console"}

// PagesInOrder returns the pages whose commands run: the README, then the pages in docs in the
// order in which docs/README.md lists them, then the others.
func PagesInOrder(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "docs/README.md"}
	for _, m := range regexp.MustCompile(`\]\(([^)#]+\.md)`).FindAllStringSubmatch(ReadPage(t, "docs/README.md"), -1) {
		pages = append(pages, path.Join("docs", m[1]))
	}
	root := Repository(t)
	for _, page := range markdown.Pages(t, filepath.Join(root, "docs")) {
		pages = append(pages, strings.TrimPrefix(page, root+"/"))
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(pages, func(page string) bool {
		again := seen[page]
		seen[page] = true
		return again
	})
}

// Repository returns the absolute path of the folder that contains go.mod.
func Repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the folder of the test")
	return ""
}

// ReadPage returns the text of a page.
func ReadPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Repository(t), page))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

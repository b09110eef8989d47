package tapedeck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pathInCode = regexp.MustCompile("`(?:\\./)?((?:cmd|dashboards|deploy|docs|ingest|internal|query|replay|schema|tools|\\.ci)/[^`\\s]*|[\\w.]+_test\\.go|\\.golangci\\.yml)`")
	linkTarget = regexp.MustCompile(`\]\(([^)\s#]+)`)
	makeTarget = regexp.MustCompile("(?:`|(?m:^))make ([a-z-]+)")
)

// TestDocsNameWhatExists checks that the files, folders and make targets which the
// documentation names exist, and that its links lead somewhere.
func TestDocsNameWhatExists(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for _, page := range docPages(t) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, m := range pathInCode.FindAllStringSubmatch(text, -1) {
			path := strings.TrimSuffix(m[1], "/...")
			if strings.Contains(path, "NAME") { // a placeholder
				continue
			}
			named[page]++
			if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			}
		}
		for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which is no target", page, m[1])
			}
		}
	}
	if n := named[filepath.Join("docs", "architecture.md")]; n < 80 {
		t.Errorf("docs/architecture.md names %d files and folders, want the path of a frame: 80 at least", n)
	}
}

// docPages lists the pages of documentation.
func docPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

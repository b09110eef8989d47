package tapedeck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

var (
	testDefined = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	testNamed   = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	// testsOf matches tests that are followed by their folders: `A`, `B` (`x/y`, `z`).
	testsOf = regexp.MustCompile("(`(?:Test|Fuzz)[^`]*`(?:, `(?:Test|Fuzz)[^`]*`)*) \\((`[a-z][^)]*`)\\)")
)

// TestSecurityNamesTests checks that the tests which the documents on security name exist, in
// the folders that follow them.
func TestSecurityNamesTests(t *testing.T) {
	folders := testFolders(t)
	named := 0
	for _, page := range []string{"docs/security.md", "docs/fuzzing.md"} {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testNamed.FindAllSubmatch(data, -1) {
			named++
			if folders[string(m[1])] == nil {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
		for _, m := range testsOf.FindAllStringSubmatch(string(data), -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				for folder := range strings.SplitSeq(m[2], ", ") {
					name, folder := strings.Trim(name, "`"), strings.Trim(folder, "`")
					if !slices.Contains(folders[name], folder) {
						t.Errorf("%s: %s is not in %s but in %v", page, name, folder, folders[name])
					}
				}
			}
		}
	}
	if named < 60 {
		t.Errorf("the documents name %d tests, want 60 at least", named)
	}
}

var (
	actionDefined = regexp.MustCompile(`(?m)^\s*(?:const )?\w+\s+Action = "([a-z.]+)"`)
	actionNamed   = regexp.MustCompile("`([a-z]+\\.[a-z]+)`")
)

// TestSecurityListsActions checks that docs/security.md lists the actions of the audit log: all, and no
// others.
func TestSecurityListsActions(t *testing.T) {
	source, err := os.ReadFile("internal/app/auth/audit/action.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| action | recorded |")
	table, _, _ = strings.Cut(table, "\n\n")
	actions := func(in string, by *regexp.Regexp) (list []string) {
		for _, m := range by.FindAllStringSubmatch(in, -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	defined, listed := actions(strings.ReplaceAll(string(source), "const None", ""), actionDefined), actions(table, actionNamed)
	if len(defined) < 30 || !slices.Equal(defined, listed) {
		t.Errorf("docs/security.md lists\n%q, there are\n%q", listed, defined)
	}
}

// testFolders returns the folders of all tests by their names.
func testFolders(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range testDefined.FindAllSubmatch(data, -1) {
			folders[string(m[1])] = append(folders[string(m[1])], filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// fuzzRow is a row of docs/fuzzing.md: tests with their folders, what they read, what is asserted.
var fuzzRow = regexp.MustCompile("(?m)^\\| (`Fuzz.*) \\| ([^|]+) \\| ([^|]+) \\|$")

// TestFuzzTestsAreListed checks that docs/fuzzing.md says of every fuzz test what it reads and what is asserted.
func TestFuzzTestsAreListed(t *testing.T) {
	page, err := os.ReadFile("docs/fuzzing.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, _, found := strings.Cut(string(page), "\n## Results\n")
	if !found {
		t.Fatal("docs/fuzzing.md has no place for results")
	}
	listed := map[string]int{}
	for _, row := range fuzzRow.FindAllStringSubmatch(tables, -1) {
		for _, tests := range testsOf.FindAllStringSubmatch(row[1], -1) {
			for name := range strings.SplitSeq(tests[1], ", ") {
				for folder := range strings.SplitSeq(tests[2], ", ") {
					listed[strings.Trim(folder, "`")+" "+strings.Trim(name, "`")]++
				}
			}
		}
	}
	for name, folders := range testFolders(t) {
		for _, folder := range folders {
			if n := listed[folder+" "+name]; strings.HasPrefix(name, "Fuzz") && n != 1 {
				t.Errorf("docs/fuzzing.md has %d rows for %s of %s, want 1", n, name, folder)
			}
			delete(listed, folder+" "+name)
		}
	}
	for name := range listed {
		t.Errorf("docs/fuzzing.md lists %s, which does not exist", name)
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

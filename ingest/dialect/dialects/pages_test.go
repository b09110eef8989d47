package dialects_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// pageCase is a page's link to the case of its example.
	pageCase = regexp.MustCompile(`\]\(\.\./\.\./(ingest/dialect/[^)]+\.txtar)\)`)
	// noted are the parts of a case's facts that examples leave out.
	noted = regexp.MustCompile(` (v|seen)=@?\d+`)
)

// TestPagesBeginWithExamples checks that the first section of each dialect's page is an example,
// and that each line of the example is a line of the linked case. "…" replaces any text.
func TestPagesBeginWithExamples(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "dialects", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" || name == "custom.md" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "\n## ")
			section, _, _ := strings.Cut(rest, "\n## ")
			link := pageCase.FindStringSubmatch(section)
			if !strings.HasPrefix(section, "Example\n") || link == nil {
				t.Fatal("the first section is not an example of a case")
			}
			text, err = os.ReadFile(filepath.Join(root, link[1]))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(noted.ReplaceAllString(string(text), ""), "\n")
			blocks := strings.Split(section, "```")
			if len(blocks) < 5 {
				t.Fatal("the example does not have frames and facts")
			}
			for i := 1; i < len(blocks); i += 2 {
				for line := range strings.Lines(strings.TrimPrefix(blocks[i], "\n")) {
					if !slices.ContainsFunc(lines, pattern(strings.TrimSuffix(line, "\n")).MatchString) {
						t.Errorf("not in the case: %s", line)
					}
				}
			}
		})
	}
}

// pattern matches the lines that a line of an example stands for.
func pattern(line string) *regexp.Regexp {
	parts := strings.Split(line, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

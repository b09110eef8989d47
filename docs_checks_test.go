package tapedeck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every check of /readyz has a row in the table of docs/delivery.md.
func TestChecksAreDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/delivery.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if head, _, is := strings.Cut(strings.TrimPrefix(line, "| "), " |"); is {
			for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(head, -1) {
				documented[m[1]] = true
			}
		}
	}
	parts := []string{"clickhouse_version", "nats_version", "dead_letters"} // named by expressions
	part := regexp.MustCompile(`\bPart:\s+"([a-z_]+)"`)
	for _, root := range []string{"internal/app", "cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range part.FindAllStringSubmatch(string(text), -1) {
				parts = append(parts, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(parts) < 15 {
		t.Errorf("only %d checks were found: %v", len(parts), parts)
	}
	for _, name := range parts {
		if !documented[name] {
			t.Errorf("docs/delivery.md does not say when the check %s fails", name)
		}
	}
}

package framingtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// Fixtures reads the captured streams whose names have one of the given suffixes. They are stored
// beside the repository. If they are missing, the test is skipped, or fails in a full run (see
// package fulltest).
func Fixtures(tb testing.TB, endings ...string) map[string][]byte {
	tb.Helper()
	root := repository(tb)
	texts := map[string][]byte{}
	dir := filepath.Join(root, "..", "shared", "fixtures")
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) }) {
			return err
		}
		text, err := os.ReadFile(path)
		texts[strings.TrimPrefix(path, dir)] = text
		return err
	})
	if err != nil || len(texts) == 0 {
		fulltest.Missing(tb, fmt.Sprintf("no captured streams %q in %s: %v", endings, dir, err))
	}
	return texts
}

// repository returns the directory of go.mod above the working directory.
func repository(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no go.mod above the test's directory")
		}
		dir = parent
	}
}

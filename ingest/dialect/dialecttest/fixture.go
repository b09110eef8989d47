package dialecttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/internal/fulltest"
)

// Fixture reads a captured stream, named by its path below the fixtures
// directory, which lies beside the repository. Without that directory the test
// is skipped, but fails in a full run (see package fulltest).
func Fixture(t testing.TB, name string) []byte {
	t.Helper()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "..", "shared", "fixtures", filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		fulltest.Missing(t, fmt.Sprintf("captured stream %s is not there: %v", name, err))
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// repository is the directory of go.mod, above the test's own.
func repository() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			err = errors.New("no go.mod above the test's directory")
		}
		dir = up
	}
	return "", err
}

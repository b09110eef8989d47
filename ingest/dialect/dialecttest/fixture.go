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

// Fixture reads a captured stream by its path below the fixtures directory, which is beside the
// repository. Without that directory the test is skipped, but fails in a full run (see package
// fulltest).
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

// repository returns the directory of go.mod above the test's directory.
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

// Fixtures lists the captured streams, by their paths below the fixtures directory. It leaves out
// data that is not a stream. Without the directory it does as Fixture does.
func Fixtures(t testing.TB) []string {
	t.Helper()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "..", "shared", "fixtures")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fulltest.Missing(t, fmt.Sprintf("captured streams are not there: %v", err))
	}
	var names []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == "genai-prices":
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(name) != ".md":
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

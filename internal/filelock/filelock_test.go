package filelock

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// A lock is held by one open file at a time, until that is closed.
func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := Take(path); f != nil || !errors.Is(err, ErrHeld) {
		t.Errorf("the second one: %v, %v", f, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	var refused *fs.PathError
	if _, err := Take(filepath.Join(path, "below-a-file")); !errors.As(err, &refused) {
		t.Errorf("a path that cannot be: %v", err)
	}
}

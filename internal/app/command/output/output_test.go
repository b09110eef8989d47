package output

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is written over only by force, only the user may read it, and that of a failed export
// is removed unless it is of use.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	write := func(force bool) *File {
		t.Helper()
		f, err := Create(name, force)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
		if err := f.Finish(); err != nil || f.Written() != 3 || f.IsStdout() {
			t.Fatalf("%d bytes, standard output %v: %v", f.Written(), f.IsStdout(), err)
		}
		return f
	}
	write(false)
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info.Mode(), err)
	}
	if _, err := Create(name, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("written over: %v", err)
	}
	f, broke := write(true), errors.New("it broke off")
	f.Keep = true
	if err := f.Failed(broke); !errors.Is(err, broke) || !strings.Contains(err.Error(), name+" holds what came up to there") {
		t.Error(err)
	}
	f.Keep = false
	if err := f.Failed(broke); !errors.Is(err, broke) {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// What an archive names outside of the directory is not written, and nothing else of it neither.
func TestUnpack(t *testing.T) {
	archive := func(names ...string) string {
		t.Helper()
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path, err := Receive(&b, filepath.Join(t.TempDir(), "a.zip"), false)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	dir := filepath.Join(t.TempDir(), "to")
	for _, name := range []string{"../x", "/x", "a/x"} {
		if _, err := Unpack(archive("good", name), dir, true); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%d files are written: %v", len(entries), err)
	}
	if names, err := Unpack(archive("one", "two"), dir, false); err != nil || strings.Join(names, " ") != "one two" {
		t.Errorf("%v, %v", names, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "two")); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Unpack(archive("two"), dir, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("written over: %v", err)
	}
}

package output

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A file is written over only by force, only the user may read it, and that of a failed export
// is removed unless it is of use.
func TestFile(t *testing.T) {
	name, broke := filepath.Join(t.TempDir(), "out"), errors.New("it broke off")
	if f := create(t, name, false); f.IsStdout() || f.Finish(nil) != nil || f.Written() != 3 {
		t.Fatalf("%d bytes, standard output %v", f.Written(), f.IsStdout())
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info.Mode(), err)
	}
	if _, err := Create(name, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("written over: %v", err)
	}
	for _, force := range []bool{false, true} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		f := create(t, name, force)
		if err := f.Finish(broke); !errors.Is(err, broke) {
			t.Error(err)
		}
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file is there: %v", err)
		}
		f = create(t, name, force)
		f.Keep = true
		if err := f.Finish(broke); !errors.Is(err, broke) || !strings.Contains(err.Error(), name+" holds what came up to there") {
			t.Error(err)
		}
	}
}

// create opens a file and writes three bytes to it.
func create(t *testing.T, name string, force bool) *File {
	t.Helper()
	f, err := Create(name, force)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	return f
}

// A file that is written over stays as it was until the new one is complete, also if a link names it.
func TestReplace(t *testing.T) {
	dir, broke := t.TempDir(), errors.New("it broke off")
	name, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("old"), 0o640), os.Symlink("out", link)); err != nil {
		t.Fatal(err)
	}
	holds := func(want string) {
		t.Helper()
		text, err := os.ReadFile(name)
		info, missing := os.Stat(name)
		if missing != nil {
			t.Fatal(missing)
		}
		if err != nil || string(text) != want || info.Mode().Perm() != 0o640 {
			t.Errorf("%q with mode %v, want %q: %v", text, info.Mode(), want, err)
		}
		to, err := os.Readlink(link)
		if entries, _ := os.ReadDir(dir); err != nil || to != "out" || len(entries) != 2 {
			t.Errorf("%v, the link names %q: %v", entries, to, err)
		}
	}
	for _, keep := range []bool{false, true} {
		f := create(t, name, true)
		f.Keep = keep
		if err := f.Finish(broke); !errors.Is(err, broke) || !strings.Contains(err.Error(), name+" is as it was") {
			t.Error(err)
		}
		holds("old")
	}
	f := create(t, link, true)
	if text, err := os.ReadFile(name); err != nil || string(text) != "old" {
		t.Errorf("while it is written, the file has %q: %v", text, err)
	}
	if err := f.Finish(nil); err != nil {
		t.Error(err)
	}
	holds("abc")
}

// Files of several exports in one directory, and archives, are replaced as a whole too.
func TestReplaceFiles(t *testing.T) {
	broke := errors.New("it broke off")
	for _, to := range []string{"dir", "all.zip"} {
		dir := t.TempDir()
		path := filepath.Join(dir, to)
		old := path
		if to == "dir" {
			old = filepath.Join(path, "a.csv")
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.WriteFile(old, []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, end := range []error{broke, nil} {
			files, err := NewFiles(path, true)
			if err != nil {
				t.Fatal(err)
			}
			w, err := files.Create("a.csv")
			if err == nil {
				_, err = w.Write([]byte("new"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := files.Finish(end); !errors.Is(err, end) {
				t.Error(err)
			}
			text, err := os.ReadFile(old)
			if err != nil || (string(text) == "old") != (end != nil) {
				t.Errorf("%s after %v: %q, %v", to, end, text, err)
			}
		}
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Receive(iotest.ErrReader(broke), name, true); !errors.Is(err, broke) {
		t.Error(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "old" {
		t.Errorf("an archive that did not arrive: %q, %v", text, err)
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

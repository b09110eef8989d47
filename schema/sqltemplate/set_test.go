package sqltemplate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"tapedeck/schema/sqltemplate"
)

// Set.Text returns the statement that a template and its shape describe, and an error that names a
// statement that does not exist.
func TestText(t *testing.T) {
	set := sqltemplate.Parse(fstest.MapFS{"sql/rows.sql": {Data: []byte("SELECT {{if .}}1{{else}}2{{end}}")}})
	for shape, want := range map[bool]string{true: "SELECT 1", false: "SELECT 2"} {
		if got, err := set.Text("rows", shape); err != nil || got != want {
			t.Errorf("shape %v: %q, %v, want %q", shape, got, err, want)
		}
	}
	if _, err := set.Text("none", nil); err == nil || !strings.Contains(err.Error(), "build statement none") {
		t.Errorf("a statement that does not exist: %v", err)
	}
}

// The first use of a set panics if a template is invalid, and so does each later use.
func TestInvalidTemplate(t *testing.T) {
	set := sqltemplate.Parse(fstest.MapFS{"sql/rows.sql": {Data: []byte("SELECT {{if}}")}})
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an invalid template does not panic")
				}
			}()
			_, _ = set.Text("rows", nil)
		}()
	}
}

// Every file of statements of the program parses: sets parse at their first use, so an invalid file
// would otherwise be found only by a test, or a user, of that set.
func TestAllStatementsParse(t *testing.T) {
	root, dirs := "../..", 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name == "node_modules" || name == "bin" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.Name() != "sql" {
			return nil
		}
		files, err := filepath.Glob(filepath.Join(path, "*.sql"))
		if err != nil || len(files) == 0 {
			return err
		}
		dirs++
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			checkFile(t, file, string(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if dirs < 20 {
		t.Errorf("only %d directories of statements were found below %s", dirs, root)
	}
}

// checkFile parses one file of statements.
func checkFile(t *testing.T, path, text string) {
	t.Helper()
	set := sqltemplate.Parse(fstest.MapFS{"sql/" + filepath.Base(path): {Data: []byte(text)}})
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: %v", path, p)
		}
	}()
	// The error of a template that needs another file or a shape is expected; an invalid one panics.
	_, _ = set.Text(strings.TrimSuffix(filepath.Base(path), ".sql"), nil)
}

package dialects_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tapedeck/ingest/dialect/dialecttest"
)

// pending has the captured streams that are not read as expected yet.
var pending []string

// unstated replaces the calls of a model in a protocol that does not mark them.
const unstated = "calls unstated"

// expectations reads testdata/expected: the facts of each captured stream by its protocol. The
// files are written by hand; comments begin with #.
func expectations(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/expected/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no expectations: %v", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if _, ok := all[f.Name]; ok {
				t.Errorf("%s: %s is expected twice", file, f.Name)
			}
			all[f.Name] = []string{}
			for line := range strings.Lines(string(f.Data)) {
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					all[f.Name] = append(all[f.Name], line)
				}
			}
		}
	}
	return all
}

// Every captured stream is recorded to the byte, with the facts in testdata/expected.
func TestFixtures(t *testing.T) {
	expected := expectations(t)
	names := dialecttest.Fixtures(t)
	for name := range expected {
		if !slices.Contains(names, name) {
			t.Errorf("%s is expected and not there", name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want, ok := expected[name]
			if !ok {
				t.Fatal("testdata/expected does not say what this stream holds")
			}
			data := dialecttest.Fixture(t, name)
			got := recordBytes(t, data)
			if !bytes.Equal(got.raw, data) {
				t.Errorf("recorded %d bytes that are not the file's %d", len(got.raw), len(data))
			}
			lines := got.lines()
			if slices.Contains(want, unstated) {
				i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "calls ") })
				lines[i] = unstated
			}
			diff := cmp.Diff(want, lines)
			switch later := slices.Contains(pending, name); {
			case diff == "" && later:
				t.Error("this stream comes to what is expected: take it out of the list pending")
			case diff != "" && later:
				t.Skip("pending")
			case diff != "":
				t.Errorf("facts (-expected +recorded):\n%s", diff)
			}
		})
	}
}

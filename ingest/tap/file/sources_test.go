package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderOfFiles creates files with the given names, and returns their folder.
func folderOfFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func TestExpand(t *testing.T) {
	root := folderOfFiles(t, map[string]string{
		"a.jsonl": "", "b.ndjson": "", "c.SSE": "", "d.txt": "", "e.sse.txt": "", "run[1].jsonl": "",
		"sub/f.json": "", "sub/deep/g.jsonl": "", ".git/h.jsonl": "", "empty/readme.md": "",
	})
	symlink(t, root, filepath.Join(root, "sub", "loop"))                                  // a loop
	symlink(t, "self.jsonl", filepath.Join(root, "self.jsonl"))                           // a link to itself
	symlink(t, filepath.Join(root, "a.jsonl"), filepath.Join(root, "sub", "again.jsonl")) // a file that is there already
	outside := folderOfFiles(t, map[string]string{"x.jsonl": ""})
	symlink(t, filepath.Join(outside, "x.jsonl"), filepath.Join(root, "sub", "x.jsonl"))
	symlink(t, outside, filepath.Join(root, "outside"))
	for _, tc := range []struct {
		name    string
		args    []string
		want    string // below root; a ! before what cannot be recorded
		several bool
		leftOut int
		noFiles int
	}{
		{"a file", []string{"d.txt"}, "d.txt", false, 0, 0},
		{"a file that is not there", []string{"none.jsonl"}, "none.jsonl", false, 0, 0},
		{"a name like a pattern", []string{"run[1].jsonl"}, "run[1].jsonl", false, 0, 0},
		{"two files", []string{"b.ndjson", "a.jsonl"}, "b.ndjson a.jsonl", true, 0, 0},
		{"a file twice", []string{"a.jsonl", "a.jsonl", "sub/again.jsonl"}, "a.jsonl", true, 0, 0},
		{"a pattern", []string{"[as]*.jsonl"}, "a.jsonl !self.jsonl", true, 0, 0},
		{"a pattern for folders", []string{"su?"}, "sub/again.jsonl sub/deep/g.jsonl sub/f.json sub/x.jsonl", true, 0, 1},
		{"a pattern without a match", []string{"*.none", "a.jsonl"}, "!*.none a.jsonl", true, 0, 0},
		{"a folder", []string{"."}, "a.jsonl b.ndjson c.SSE e.sse.txt run[1].jsonl sub/deep/g.jsonl sub/f.json sub/x.jsonl", true, 2, 3},
		{"a folder without any", []string{"empty"}, "!empty", true, 1, 0},
		{"a link to a folder", []string{"outside"}, "outside/x.jsonl", true, 0, 0},
		{"a folder twice", []string{"sub", "sub/", "./sub"}, "sub/again.jsonl sub/deep/g.jsonl sub/f.json sub/x.jsonl", true, 0, 1},
		{"a folder and one in it", []string{".", "sub"}, "a.jsonl b.ndjson c.SSE e.sse.txt run[1].jsonl sub/deep/g.jsonl sub/f.json sub/x.jsonl", true, 2, 3},
		{"a folder without any twice", []string{"empty", "empty"}, "!empty", true, 1, 0},
		{"a folder and a file that it leaves out", []string{".", "d.txt", "d.txt"}, "a.jsonl b.ndjson c.SSE e.sse.txt run[1].jsonl sub/deep/g.jsonl sub/f.json sub/x.jsonl d.txt", true, 1, 3},
		{"a file and the folder that leaves it out", []string{"empty/readme.md", "empty"}, "empty/readme.md", true, 0, 0},
		{"a folder and a file in it", []string{"sub/f.json", "sub"}, "sub/f.json sub/again.jsonl sub/deep/g.jsonl sub/x.jsonl", true, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(root)
			s, err := Expand(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, source := range s.List {
				name := source.Path
				if _, missing := os.Stat(name); source.Err != nil || missing != nil && len(tc.args) == 1 && s.Several {
					name = "!" + name
				}
				got = append(got, name)
			}
			if strings.Join(got, " ") != tc.want || s.Several != tc.several || s.LeftOut != tc.leftOut || s.NoFiles != tc.noFiles {
				t.Errorf("got %q, several %t, %d and %d left out\nwant %q, %t, %d, %d", strings.Join(got, " "), s.Several, s.LeftOut, s.NoFiles, tc.want, tc.several, tc.leftOut, tc.noFiles)
			}
		})
	}
	for _, pattern := range []string{"**/*.jsonl", "[.jsonl"} {
		if _, err := Expand([]string{pattern}); err == nil {
			t.Errorf("%s is taken for a pattern", pattern)
		}
	}
}

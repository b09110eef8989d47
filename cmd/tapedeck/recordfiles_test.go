package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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
		{"a folder and a file in it", []string{"sub/f.json", "sub"}, "sub/f.json sub/again.jsonl sub/deep/g.jsonl sub/x.jsonl", true, 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(root)
			s, err := expand(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, source := range s.list {
				name := source.path
				if _, missing := os.Stat(name); source.err != nil || missing != nil && len(tc.args) == 1 && s.several {
					name = "!" + name
				}
				got = append(got, name)
			}
			if strings.Join(got, " ") != tc.want || s.several != tc.several || s.leftOut != tc.leftOut || s.noFiles != tc.noFiles {
				t.Errorf("got %q, several %t, %d and %d left out\nwant %q, %t, %d, %d", strings.Join(got, " "), s.several, s.leftOut, s.noFiles, tc.want, tc.several, tc.leftOut, tc.noFiles)
			}
		})
	}
	for _, pattern := range []string{"**/*.jsonl", "[.jsonl"} {
		if _, err := expand([]string{pattern}); err == nil {
			t.Errorf("%s is taken for a pattern", pattern)
		}
	}
}

// Several files are streams of their own; one that fails does not stop the others.
func TestRecordSeveralFiles(t *testing.T) {
	s := shared.get(t)
	root := folderOfFiles(t, map[string]string{
		"logs/a.jsonl": `{"type":"a","file":"several-a"}` + "\n", "logs/b.jsonl": `{"type":"b","file":"several-b"}` + "\n{}\n",
		"logs/deep/c.sse": "data: {\"several\":\"c\"}\n\n", "logs/notes.md": "no", "copy.jsonl": `{"type":"a","file":"several-a"}` + "\n",
	})
	files := func(args ...string) (results []fileResult, total filesResult, exit int) {
		t.Helper()
		out, stderr, exit := s.run(t, append([]string{"record", "--json"}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		for i, line := range lines {
			if i == len(lines)-1 {
				if err := json.Unmarshal([]byte(line), &total); err != nil {
					t.Fatalf("%v: %s%s", err, out, stderr)
				}
				break
			}
			var r fileResult
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			results = append(results, r)
		}
		return results, total, exit
	}
	logs := filepath.Join(root, "logs")
	results, total, exit := files(logs, filepath.Join(root, "none.jsonl"), filepath.Join(root, "copy.jsonl"), filepath.Join(root, "x*"))
	if want := (filesResult{Files: 6, Recorded: 3, Known: 1, Failed: 2, Frames: 4, Bytes: total.Bytes}); total != want || exit != 1 {
		t.Errorf("exit %d, %+v, want %+v", exit, total, want)
	}
	streams := map[string]bool{}
	for _, r := range results[:3] {
		if r.Summary == nil || r.Error != "" {
			t.Fatalf("%+v", r)
		}
		streams[r.StreamID] = true
		if got := s.must(t, "play", r.LastSession, "--format", "ndjson", "--speed", "max"); !strings.Contains(got, "several-"+strings.TrimSuffix(filepath.Base(r.File), ".jsonl")) && !strings.HasSuffix(r.File, ".sse") {
			t.Errorf("%s was recorded as %q", r.File, got)
		}
	}
	if len(streams) != 3 || results[3].Error == "" || results[4].Known != results[0].File || !strings.Contains(results[5].Error, "no file matches") {
		t.Errorf("%d streams, %+v", len(streams), results[3:])
	}

	// A quoted pattern, all in one session, with what people read.
	_, stderr, exit := s.run(t, "record", "--again", "--session", "several-in-one", filepath.Join(logs, "*.jsonl"))
	if exit != 0 || !strings.Contains(stderr, "total    2 of 2 files recorded: 3 frames") ||
		!strings.Contains(stderr, "all of them are in session several-in-one, a stream each") || strings.Count(stderr, "recorded /") != 2 {
		t.Errorf("exit %d:\n%s", exit, stderr)
	}
	var session struct {
		Streams []struct {
			Source string `json:"source"`
			Frames int    `json:"frames"`
		} `json:"streams"`
	}
	_, body, _ := s.get(t, "/v1/sessions/several-in-one")
	if err := json.Unmarshal(body, &session); err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, st := range session.Streams {
		sources = append(sources, filepath.Base(st.Source))
	}
	if slices.Sort(sources); !slices.Equal(sources, []string{"a.jsonl", "b.jsonl"}) {
		t.Errorf("the session has streams of %q", sources)
	}
	if _, stderr, exit := s.run(t, "record", logs, "-"); exit != exitUsage {
		t.Errorf("a folder and standard input: exit %d, %s", exit, stderr)
	}
}

// The result of several files says which of them are in the session that was named, and
// where the others are. A file without frames is not recorded.
func TestResultOfFilesInOneSession(t *testing.T) {
	s := shared.get(t)
	root := folderOfFiles(t, map[string]string{"a.jsonl": uniqueLines(1), "b.jsonl": uniqueLines(2), "empty.jsonl": "", "empty2.jsonl": ""})
	s.must(t, "record", "--session", "files-known", filepath.Join(root, "b.jsonl"))
	_, stderr, exit := s.run(t, "record", "--session", "files-both", root)
	for _, want := range []string{
		"total    1 of 4 files recorded: 1 frame,", "note     1 of 4 files recorded in session files-both, a stream each",
		"note     1 file recorded already, in session files-known; --again", "note     2 files without a frame",
	} {
		if exit != 0 || !strings.Contains(stderr, want) || strings.Contains(stderr, "all of them") {
			t.Errorf("exit %d, want %q in\n%s", exit, want, stderr)
		}
	}
}

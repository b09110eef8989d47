package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/tools/systemtest/commands/commandtest"
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

// Several files are streams of their own; one that fails does not stop the others.
func TestRecordSeveralFiles(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	root := folderOfFiles(t, map[string]string{
		"logs/a.jsonl": `{"type":"a","file":"several-a"}` + "\n", "logs/b.jsonl": `{"type":"b","file":"several-b"}` + "\n{}\n",
		"logs/deep/c.sse": "data: {\"several\":\"c\"}\n\n", "logs/notes.md": "no", "copy.jsonl": `{"type":"a","file":"several-a"}` + "\n",
	})
	files := func(args ...string) (results []knownrecordings.FileResult, total knownrecordings.FilesResult, exit int) {
		t.Helper()
		out, stderr, exit := s.Run(t, append([]string{"record", "--json"}, args...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		for i, line := range lines {
			if i == len(lines)-1 {
				if err := json.Unmarshal([]byte(line), &total); err != nil {
					t.Fatalf("%v: %s%s", err, out, stderr)
				}
				break
			}
			var r knownrecordings.FileResult
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			results = append(results, r)
		}
		return results, total, exit
	}
	logs := filepath.Join(root, "logs")
	results, total, exit := files(logs, filepath.Join(root, "none.jsonl"), filepath.Join(root, "copy.jsonl"), filepath.Join(root, "x*"))
	if want := (knownrecordings.FilesResult{Files: 6, Recorded: 3, Known: 1, Failed: 2, Frames: 4, Bytes: total.Bytes, Waiting: total.Waiting}); total != want || exit != 1 {
		t.Errorf("exit %d, %+v, want %+v", exit, total, want)
	}
	streams := map[string]bool{}
	for _, r := range results[:3] {
		if r.Summary == nil || r.Error != "" {
			t.Fatalf("%+v", r)
		}
		streams[r.StreamID] = true
		if got := s.Must(t, "play", r.LastSession, "--format", "ndjson", "--speed", "max"); !strings.Contains(got, "several-"+strings.TrimSuffix(filepath.Base(r.File), ".jsonl")) && !strings.HasSuffix(r.File, ".sse") {
			t.Errorf("%s was recorded as %q", r.File, got)
		}
	}
	if len(streams) != 3 || results[3].Error == "" || results[4].Known != results[0].File || !strings.Contains(results[5].Error, "no file matches") {
		t.Errorf("%d streams, %+v", len(streams), results[3:])
	}

	// A quoted pattern, all in one session, with what people read.
	_, stderr, exit := s.Run(t, "record", "--again", "--session", "several-in-one", filepath.Join(logs, "*.jsonl"))
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
	_, body, _ := s.Get(t, "/v1/sessions/several-in-one")
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
	if _, stderr, exit := s.Run(t, "record", logs, "-"); exit != commandtest.ExitUsage {
		t.Errorf("a folder and standard input: exit %d, %s", exit, stderr)
	}
}

// The result of several files says which of them are in the session that was named. A file that is
// in another session is recorded, one without frames is not.
func TestResultOfFilesInOneSession(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	root := folderOfFiles(t, map[string]string{"a.jsonl": uniqueLines(1), "b.jsonl": uniqueLines(2), "empty.jsonl": "", "empty2.jsonl": ""})
	s.Must(t, "record", "--session", "files-known", filepath.Join(root, "b.jsonl"))
	_, stderr, exit := s.Run(t, "record", "--session", "files-both", root)
	for _, want := range []string{
		"total    2 of 4 files recorded: 3 frames,", "note     2 of 4 files recorded in session files-both, a stream each",
		"note     2 files without a frame",
	} {
		if exit != 0 || !strings.Contains(stderr, want) || strings.Contains(stderr, "all of them") {
			t.Errorf("exit %d, want %q in\n%s", exit, want, stderr)
		}
	}
}

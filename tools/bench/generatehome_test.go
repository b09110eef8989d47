package bench

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
)

// shape is what a reader that shares no code with the generators finds in files of lines.
type shape struct {
	lines, bytes, files, sessions uint64
	totals                        Totals
	members                       map[string]bool // paths of members, as message.content[].text
}

// shapeOf reads the files in a directory whose names end in a suffix.
func shapeOf(t *testing.T, dir, suffix string) shape {
	t.Helper()
	s := shape{members: map[string]bool{}}
	sessions, calls, tools, failed := map[string]bool{}, map[string]map[string]any{}, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		text, err := os.ReadFile(path)
		s.files++
		for line := range strings.Lines(string(text)) {
			var value map[string]any
			if err := json.Unmarshal([]byte(line), &value); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			s.lines++
			s.bytes += uint64(len(line))
			addMembers(s.members, "", value)
			for _, name := range []string{"sessionId", "session_id"} {
				if id, ok := value[name].(string); ok {
					sessions[id] = true
				}
			}
			message, _ := value["message"].(map[string]any)
			if usage, ok := message["usage"].(map[string]any); ok {
				calls[message["id"].(string)] = usage // the last usage counts
			}
			blocks, _ := message["content"].([]any)
			for _, b := range blocks {
				if block := b.(map[string]any); block["type"] == "tool_result" {
					id := block["tool_use_id"].(string)
					tools[id] = true
					if block["is_error"] == true {
						failed[id] = true
					}
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, usage := range calls {
		s.totals.Calls++
		s.totals.Input += int64(usage["input_tokens"].(float64))
		s.totals.CacheRead += int64(usage["cache_read_input_tokens"].(float64))
		s.totals.CacheWrite += int64(usage["cache_creation_input_tokens"].(float64))
		s.totals.Output += int64(usage["output_tokens"].(float64))
	}
	s.sessions, s.totals.Tools, s.totals.ToolErrors = uint64(len(sessions)), uint64(len(tools)), uint64(len(failed))
	return s
}

// addMembers adds the paths of the members of a value.
func addMembers(to map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			addMembers(to, path+"."+name, member)
		}
	case []any:
		for _, element := range v {
			addMembers(to, path+"[]", element)
		}
	default:
		to[fmt.Sprintf("%s %T", path, v)] = true
	}
}

// What the generator says about a home is what its files contain.
func TestHome(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	made, err := GenerateHome(5e6, dir)
	if err != nil {
		t.Fatal(err)
	}
	got := shapeOf(t, dir, ".jsonl")
	want := shape{lines: made.Lines, bytes: made.Bytes, files: got.files, sessions: uint64(made.Sessions), totals: made.Totals, members: got.members}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(shape{})); diff != "" || made.Bytes < 5e6 || made.Bytes > 7e6 {
		t.Errorf("%d bytes; the generator's counts and those of the files:\n%s", made.Bytes, diff)
	}
	if repeated, err := GenerateHome(5e6, again); err != nil || *repeated != *made {
		t.Errorf("the same size made %+v, then %+v: %v", made, repeated, err)
	}
}

// The texts of a home are those that its lines state, each once.
func TestHomeTexts(t *testing.T) {
	texts := homeTexts()
	for _, c := range []struct {
		line string
		want []string
	}{
		{`{"uuid":"1","message":{"content":"hello"}}`, []string{"hello"}},
		{`{"uuid":"1","message":{"content":"hello"}}`, nil},
		{`{"uuid":"2","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","input":{"x":1}}]}}`, []string{"a", `{"x":1}`}},
		{`{"uuid":"3","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"b"},{"type":"image","source":{}}]}]}}`, []string{"b"}},
		{`{"uuid":"4"}`, nil},
	} {
		if got, err := texts([]byte(c.line)); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q %v, want %q", c.line, got, err, c.want)
		}
	}
	if _, err := texts([]byte("{")); err == nil {
		t.Error("a line that is no JSON has texts")
	}
}

// The files of the generators have the shape of those that the scripts in ../shared/bench write.
func TestShapeOfScripts(t *testing.T) {
	fulltest.Long(t)
	scripts := filepath.Join("..", "..", "..", "shared", "bench")
	python, err := exec.LookPath("python3")
	if _, missing := os.Stat(filepath.Join(scripts, "gen_home.py")); err != nil || missing != nil {
		t.Skip("skipped: there is no python3, or no ../shared/bench")
	}
	for _, c := range []struct {
		script string
		args   []string // before the place to write to
		own    func(path string) error
	}{
		{"gen_home.py", []string{"20"}, func(dir string) error { _, err := GenerateHome(20e6, dir); return err }},
		{"gen_texts.py", []string{"300", "4096", "30"}, func(path string) error { return GenerateTexts(300, 4096, 30, path) }},
		{"gen.py", []string{"20000"}, func(path string) error { return Generate(20_000, path) }},
	} {
		dir, ownDir := t.TempDir(), t.TempDir()
		to, own := filepath.Join(dir, "made.jsonl"), filepath.Join(ownDir, "made.jsonl")
		if out, err := exec.Command(python, append(append([]string{filepath.Join(scripts, c.script)}, c.args...), to)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.script, err, out)
		}
		if err := c.own(own); err != nil {
			t.Fatal(err)
		}
		a, b := shapeOf(t, dir, ".jsonl"), shapeOf(t, ownDir, ".jsonl")
		if diff := cmp.Diff(slices.Sorted(maps.Keys(a.members)), slices.Sorted(maps.Keys(b.members))); diff != "" {
			t.Errorf("%s: the members differ:\n%s", c.script, diff)
		}
		// Both are random: 20 MB of a home are 80 sessions, whose sizes differ widely.
		for name, pair := range map[string][2]float64{
			"bytes of a line":      {float64(a.bytes) / float64(a.lines), float64(b.bytes) / float64(b.lines)},
			"lines of a session":   {float64(a.lines) / float64(a.sessions), float64(b.lines) / float64(b.sessions)},
			"files of a session":   {float64(a.files) / float64(a.sessions), float64(b.files) / float64(b.sessions)},
			"calls of a session":   {float64(a.totals.Calls) / float64(a.sessions), float64(b.totals.Calls) / float64(b.sessions)},
			"tools of a call":      {float64(a.totals.Tools) / float64(a.totals.Calls+1), float64(b.totals.Tools) / float64(b.totals.Calls+1)},
			"tokens read, by call": {float64(a.totals.CacheRead) / float64(a.totals.Calls+1), float64(b.totals.CacheRead) / float64(b.totals.Calls+1)},
		} {
			t.Logf("%s: %s: %.2f, own %.2f", c.script, name, pair[0], pair[1])
			if pair[0] > 0 && (pair[1] < 0.75*pair[0] || pair[1] > 1.33*pair[0]) {
				t.Errorf("%s: %s: %.2f, own %.2f", c.script, name, pair[0], pair[1])
			}
		}
	}
}

package dialecttest

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

var update = flag.Bool("update", false, "write what the dialect cases come to into their files")

// Run plays the cases of a directory: as one block, cut after every frame, cut after random frames,
// and, if the case asks for it, with lines of garbage. All must have the facts of the case's file.
func Run(t *testing.T, d dialect.Dialect, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runFile(t, d, file) })
	}
}

func runFile(t *testing.T, d dialect.Dialect, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := Parse(archive)
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, d, script.Frames, script.End, nil, never)
	Golden(t, file, archive, got)
	same(t, "cut after every frame", got, play(t, d, script.Frames, script.End, nil, always))
	same(t, "cut after every frame, nothing put off", got, play(t, d, script.Frames, script.End, nil, alwaysAll))
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 1))
		cut := func(int) (bool, bool) { return random.IntN(3) == 0, random.IntN(2) == 0 }
		same(t, "cut at random", got, play(t, d, script.Frames, script.End, nil, cut))
	}
	if script.Garbage {
		for seed := range uint64(3) {
			frames, numbers := strew(script, rand.New(rand.NewPCG(seed, 2)))
			same(t, "with garbage", got, play(t, d, frames, script.End, numbers, always))
		}
	}
}

// Golden compares the outcome of a case with its file "facts", or writes the file with -update.
func Golden(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	want := facts(archive)
	if *update && got != string(want.Data) {
		want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "as one block", string(want.Data), got)
}

// CutAnywhere compares the facts of a stream in one block with those of the stream cut into
// blocks in several ways.
func CutAnywhere(t *testing.T, d dialect.Dialect, frames []schema.Frame, end int64) *Outcome {
	t.Helper()
	whole := outcome(t, d, frames, end, never)
	alike(t, "cut after every frame", whole, outcome(t, d, frames, end, always))
	alike(t, "cut after every frame, nothing put off", whole, outcome(t, d, frames, end, alwaysAll))
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 3))
		cut := func(int) (bool, bool) { return random.IntN(10) == 0, random.IntN(2) == 0 }
		alike(t, "cut at random", whole, outcome(t, d, frames, end, cut))
	}
	return whole
}

func never(int) (bool, bool)     { return false, false }
func always(int) (bool, bool)    { return true, false }
func alwaysAll(int) (bool, bool) { return true, true }

// facts returns the case's file "facts", and adds it if it is missing.
func facts(a *txtar.Archive) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == "facts" {
			return &a.Files[i]
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "facts"})
	return &a.Files[len(a.Files)-1]
}

func play(t *testing.T, d dialect.Dialect, frames []schema.Frame, end int64, numbers []int, cut func(int) (bool, bool)) string {
	t.Helper()
	o, err := Play(d, frames, end, cut)
	if err != nil {
		t.Error(err)
	}
	if o == nil {
		return ""
	}
	return render(o, numbers)
}

func same(t testing.TB, how, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", how, diff)
	}
}

// garbage has lines of a program that also logs.
var garbage = []string{
	"warning: something went wrong", "", "{", `{"type":"node_en`, "[1,2", "\xff\xfe", "data: x", "}", "\x00\x01",
	`{"type":"usage","prompt_tokens":1`,
}

// strew inserts lines of garbage between the frames. It returns the number of each frame in the
// script, -1 for garbage.
func strew(s *Script, random *rand.Rand) (frames []schema.Frame, numbers []int) {
	add := func(f schema.Frame, number int) {
		f.Seq = uint64(len(frames))
		frames, numbers = append(frames, f), append(numbers, number)
	}
	at := Start
	for i, f := range s.Frames {
		for random.IntN(2) == 0 {
			line := garbage[random.IntN(len(garbage))]
			add(schema.Frame{At: at, Transport: f.Transport, Raw: wire(f.Transport, "", "", line)}, -1)
		}
		add(f, i)
		at = f.At
	}
	return frames, numbers
}

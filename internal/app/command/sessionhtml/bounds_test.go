package sessionhtml

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// Frames of a tape may lie outside the times that its streams state: before the start and after the end.
func TestReadFramesOutside(t *testing.T) {
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "").Add(0, "one\n").Add(5e9, "two\n").Add(10e9, "three\n")
	for name, times := range map[string][2]int64{
		"within the frames": {replaytest.Start + 4e9, replaytest.Start + 6e9}, "all times": {math.MinInt64, math.MaxInt64},
		"after the frames": {math.MaxInt64 - 1, math.MaxInt64},
	} {
		states := memory.Streams()
		states[0].FirstAt, states[0].LastAt = times[0], times[1]
		r := onTape(t, states, memory.Frames())
		counted := uint64(0)
		for _, n := range r.Density.Frames {
			counted += n
		}
		if len(r.Frames) != 3 || counted != 3 {
			t.Errorf("%s: %d frames, %d in the density", name, len(r.Frames), counted)
		}
	}
}

// onTape writes frames to a tape file, and reads it.
func onTape(t *testing.T, states []schema.StreamState, frames []replay.Frame) *Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd.tape")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tapefile.NewWriter(f)
	if err == nil {
		err = w.Begin(replaytest.Session, states)
	}
	for i := range frames {
		if err == nil {
			err = w.Add(&frames[i])
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	tapes, err := tapefile.Open(path, tapefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tapes.Close()
	r, err := Read(t.Context(), tapes, replaytest.Session)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// tapeOf writes a session that was recorded to a tape file.
func tapeOf(t *testing.T, memory *ingesttest.Memory, session string) (path string) {
	t.Helper()
	bounded.Wait(t, memory.Wait)
	var states []schema.StreamState
	var frames []replay.Frame
	for _, id := range memory.Streams() {
		state, ok := memory.State(id, session)
		if !ok {
			t.Fatalf("stream %s has nothing of session %q", id, session)
		}
		states = append(states, state)
		for _, f := range memory.Frames(id) {
			frames = append(frames, replay.Frame{Frame: f, Stream: &state})
		}
	}
	slices.SortFunc(frames, func(a, b replay.Frame) int { return a.Position().Compare(b.Position()) })
	var out bytes.Buffer
	w, err := tapefile.NewWriter(&out)
	check(t, err)
	check(t, w.Begin(session, states))
	for i := range frames {
		check(t, w.Add(&frames[i]))
	}
	for _, b := range memory.Blocks() {
		if b.Session == session && b.Facts.Len() > 0 {
			check(t, w.Facts([]block.Block{{State: b.State, Facts: b.Facts}}))
		}
	}
	check(t, w.Close())
	path = filepath.Join(t.TempDir(), session+".tape")
	check(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

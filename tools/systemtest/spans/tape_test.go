package spans

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// sessions are the cases in testdata, with their dialects.
var sessions = []struct{ name, dialect string }{{"caches", "opencode"}, {"failed", "claude-code"}}

// tape writes the sessions to a tape file. They begin at replaytest.Start.
func tape(t *testing.T) string {
	t.Helper()
	recorded := &replaytest.Tape{}
	for _, s := range sessions {
		frames := dialecttest.Case(t, filepath.Join("testdata", s.name+".txtar"))
		stream := recorded.Stream(frames[0].Transport, s.dialect)
		for _, f := range frames {
			stream.Add(time.Duration(f.At-dialecttest.Start), string(f.Raw))
		}
	}
	path := filepath.Join(t.TempDir(), "sessions.tape")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := tapefile.NewWriter(file)
	for i, state := range recorded.Streams() { // in order of their ids, which count
		if err == nil {
			err = w.Begin(sessions[i].name, []schema.StreamState{state})
		}
		for _, f := range recorded.Frames() {
			if err == nil && f.Stream.StreamID == state.StreamID {
				err = w.Add(&f)
			}
		}
	}
	if err == nil {
		err = errors.Join(w.Close(), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

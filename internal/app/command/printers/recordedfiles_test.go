package printers

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/query/session/streamlist"
)

// Each file counts once: as recorded, known, empty or failed.
func TestRecordedFiles(t *testing.T) {
	known := &knownrecordings.KnownError{Source: "b", Stored: streamlist.InSession{SessionID: "s-0"}}
	total := knownrecordings.FilesResult{Files: 5, Left: 1}
	var out strings.Builder
	for _, one := range []struct {
		path string
		sum  ingest.Summary
		err  error
	}{
		{"a", ingest.Summary{StreamID: "1", Frames: 3, Bytes: 30, Dialect: "loom", Sessions: []string{"s-1"}, SessionCount: 1}, nil},
		{"b", ingest.Summary{}, known},
		{"c", ingest.Summary{StreamID: "2"}, nil},
		{"d", ingest.Summary{}, errors.New("d: it cannot be read")},
	} {
		result := total.Add(one.path, &one.sum, one.err)
		RecordedFile(&out, one.path, &one.sum, one.err, &result, false)
	}
	RecordedFiles(&out, &total, "", &file.Sources{}, 2*time.Second)
	for _, want := range []string{
		"recorded a: 3 frames, 30 bytes, loom, session s-1\n",
		"known    b: these bytes are session s-0 already",
		"recorded c: nothing, no frame came\n",
		"failed   d: it cannot be read\n",
		"total    1 of 5 files recorded: 3 frames, 30 bytes in 2.00s\n",
		"note     1 file recorded already, in session s-0; --again records once more\n",
		"note     1 file without a frame, of which nothing was recorded\n",
		"note     1 file failed\n",
		"note     1 file not begun when this was interrupted\n",
		"next     tapedeck sessions\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if want := (knownrecordings.FilesResult{Files: 5, Recorded: 1, Empty: 1, Known: 1, Failed: 1, Left: 1, Frames: 3, Bytes: 30, KnownIn: "s-0", Streams: 1}); total != want {
		t.Errorf("counted %+v, want %+v", total, want)
	}
}

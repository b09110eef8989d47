package record

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A tap that sends faster than the server lets through is answered 429, backs off, and delivers
// all: also a block that holds more than passes in the time that a request waits.
func TestTapAtItsRate(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	const frames, perSecond = 1500, 150
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"), fmt.Sprintf("--max-frames-per-second=%d", perSecond))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	// One block of ten times what passes in a second, after which nothing passes for nine seconds.
	s.Must(t, "record", "--session", "before", "--dialect", "generic", commandtest.TextFile(t, []byte(strings.Repeat("{}\n", frames))))
	var text strings.Builder
	for i := range frames {
		fmt.Fprintf(&text, "{\"n\":%d}\n", i)
	}
	s.Must(t, "record", "--session", "fast", "--dialect", "generic", commandtest.TextFile(t, []byte(text.String())))
	var raw string
	bounded.Until(t, "all frames are stored", func() bool {
		raw = s.Must(t, "frames", "fast", "--raw")
		return strings.Count(raw, "\n") >= frames
	})
	if raw != text.String() {
		t.Errorf("%d bytes are recorded, want %d, in their order", len(raw), text.Len())
	}
	if n := s.Metric(t, `tapedeck_limit_refused_total{limit="max-frames-per-second",tenant="default"}`); n == 0 {
		t.Error("the tap was not refused: the test shows nothing")
	}
}

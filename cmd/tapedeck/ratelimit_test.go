package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
)

// A tap that sends faster than the server lets through is answered 429, backs off, and delivers
// all: also a block that holds more than passes in the time that a request waits.
func TestTapAtItsRate(t *testing.T) {
	needEngine(t)
	const frames, perSecond = 1500, 150
	s, err := startUp(t, filepath.Join(t.TempDir(), "data"), fmt.Sprintf("--max-frames-per-second=%d", perSecond))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.stop(); err != nil {
			t.Errorf("%v\n%s", err, s.log)
		}
	}()
	// One block of ten times what passes in a second, after which nothing passes for nine seconds.
	s.must(t, "record", "--session", "before", "--dialect", "generic", textFile(t, []byte(strings.Repeat("{}\n", frames))))
	var text strings.Builder
	for i := range frames {
		fmt.Fprintf(&text, "{\"n\":%d}\n", i)
	}
	s.must(t, "record", "--session", "fast", "--dialect", "generic", textFile(t, []byte(text.String())))
	var raw string
	bounded.Until(t, "all frames are stored", func() bool {
		raw = s.must(t, "frames", "fast", "--raw")
		return strings.Count(raw, "\n") >= frames
	})
	if raw != text.String() {
		t.Errorf("%d bytes are recorded, want %d, in their order", len(raw), text.Len())
	}
	if n := s.metric(t, `tapedeck_limit_refused_total{limit="max-frames-per-second",tenant="default"}`); n == 0 {
		t.Error("the tap was not refused: the test shows nothing")
	}
}

package printers

import (
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
)

// A note says that a program buffers its output, and only if most frames shared a read although the
// program ran for some time and printed little.
func TestBuffered(t *testing.T) {
	for name, tc := range map[string]struct {
		frames, joined uint64
		took           time.Duration
		noted          bool
	}{
		"buffered":             {5, 4, 2 * time.Second, true},
		"a line at a time":     {5, 0, 2 * time.Second, false},
		"some share a read":    {10, 4, 2 * time.Second, false},
		"short":                {5, 4, 300 * time.Millisecond, false},
		"two lines":            {2, 1, 2 * time.Second, false},
		"many lines a second":  {100_000, 99_000, 2 * time.Second, false},
		"few lines in an hour": {100, 99, time.Hour, true},
	} {
		var b strings.Builder
		Buffered(&b, &ingest.Summary{Frames: tc.frames, Joined: tc.joined}, tc.took)
		if got := strings.Contains(b.String(), "--pty"); got != tc.noted {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}

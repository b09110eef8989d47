package printers

import (
	"strings"
	"testing"
	"time"

	"tapedeck/query/alerts/evaluate"
)

// A line has what began, or what ended and after how long; recorded texts move no cursor.
func TestAlertLine(t *testing.T) {
	began := time.Date(2026, 3, 29, 12, 0, 0, 0, time.Local)
	ended, name := began.Add(130*time.Second), "ba\x1b[2Jsh"
	a := evaluate.Alert{Rule: "tool-hangs", Session: "chat-7", SpanName: &name, Detail: "it is open", Began: began}
	var out strings.Builder
	for _, at := range []*time.Time{nil, &ended} {
		a.Ended = at
		if err := AlertLine(&out, &a); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.HasPrefix(lines[0], "2026-03-29 12:00:00  began  tool-hangs  chat-7  ba") || !strings.HasSuffix(lines[0], "  it is open") ||
		!strings.HasPrefix(lines[1], "2026-03-29 12:02:10  ended  tool-hangs  chat-7  ba") || !strings.HasSuffix(lines[1], "  after 2m10s") ||
		strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", lines)
	}
}

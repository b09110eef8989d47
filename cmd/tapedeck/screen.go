package main

import (
	"io"
	"strings"

	"tapedeck/replay/terminal"
)

// screen is where a command prints what people read. What was recorded is made
// of whatever a stranger sent, and a terminal obeys control characters: nothing
// reaches it but by here. Machine-readable output and recorded bytes go past it,
// untouched.
type screen struct{ w io.Writer }

// Write implements io.Writer. A text comes in one call, or is cut between runes.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, visible(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// visible gives a text in which control characters, marks that turn the
// direction of writing, and bytes that are not UTF-8 are spelled out, as Go
// writes them, except for those to keep.
func visible(s, keep string) string { return terminal.Visible(s, keep) }

// line is visible for a text that is to stay on its line: white space of any
// kind becomes spaces.
func line(s string) string { return visible(strings.Join(strings.Fields(s), " "), "") }

// count writes a number with what it counts: 1 frame, 2,000 frames.
func count[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + one + "s"
}

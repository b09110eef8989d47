package console

import "testing"

func TestCutLine(t *testing.T) {
	for _, tc := range []struct {
		line  string
		width int
		want  string
	}{
		{"tool bash", 0, "tool bash"},
		{"tool bash", 9, "tool bash"},
		{"tool bash", 6, "tool …"},
		{"日本語", 5, "日本…"}, // two columns a character
	} {
		if got := CutLine(tc.line, tc.width); got != tc.want {
			t.Errorf("%q in %d columns: %q, want %q", tc.line, tc.width, got, tc.want)
		}
	}
}

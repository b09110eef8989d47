package main

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for _, tc := range []struct{ in, keep, want string }{
		{"plain äöü 漢字 \U0001F600", "", "plain äöü 漢字 \U0001F600"},
		{"re\x1b[31mact", "", `re\x1b[31mact`},
		{"\x1b]0;title\x07", "", `\x1b]0;title\x07`},
		{"two\nlines\tand\rback", "\n\t", "two\nlines\tand\\x0dback"},
		{"\u009b31m\x7f", "", `\u009b31m\x7f`},
		{"\u202egnp.exe", "", `\u202egnp.exe`},
		{"\xff\xfe cut \xe2\x82", "", `\xff\xfe cut \xe2\x82`},
		{"kept \ufffd", "", "kept \ufffd"},
		{"", "", ""},
	} {
		if got := visible(tc.in, tc.keep); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.in, got, tc.want)
		}
	}
}

// A table stands as one line a row, whatever is in its cells.
func TestTableOfStrangeCells(t *testing.T) {
	var b strings.Builder
	table := newTable(&b, "na\x1bme", "n")
	table.row("a\tb\nc\vd", 1)
	table.row("\x1b[2J", 22)
	if err := table.flush(); err != nil {
		t.Fatal(err)
	}
	want := "NA\\x1bME  N\n" + "a b c d   1\n" + "\\x1b[2J   22\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 frames", 1: "1 frame", 2: "2 frames", 1200: "1,200 frames"} {
		if got := count(n, "frame"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

package console

import (
	"io"
	"os"
	"path/filepath"
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
		if got := Visible(tc.in, tc.keep); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.in, got, tc.want)
		}
	}
}

// A table stands as one line a row, whatever is in its cells.
func TestTableOfStrangeCells(t *testing.T) {
	var b strings.Builder
	table := NewTable(&b, "na\x1bme", "n")
	table.Row("a\tb\nc\vd", 1)
	table.Row("\x1b[2J", 22)
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "NA\\x1bME  N\n" + "a b c d   1\n" + "\\x1b[2J   22\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 frames", 1: "1 frame", 2: "2 frames", 1200: "1,200 frames"} {
		if got := Count(n, "frame"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 100: "100 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 10 << 10: "10 KiB", 1 << 30: "1.0 GiB", 12 << 30: "12 GiB", 1 << 63: "8.0 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1_500_000: "1.5 MB", 136_000_000: "136 MB"} {
		if got := DecimalBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestRecorded escapes control characters of text that comes in pieces, cut anywhere, and keeps line ends.
func TestRecorded(t *testing.T) {
	const text = "a\r\nb\rc\x1b]0;t\x07\u009bé漢\U0001F600\t\xff\u202e\n"
	const want = "a\nb\\x0dc\\x1b]0;t\\x07\\u009bé漢\U0001F600\t\\xff\\u202e\n"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		s := &stream{w: &b}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if wrote, err := s.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if Recorded(file) != io.Writer(file) {
		t.Error("output to a file has other bytes than were recorded")
	}
}

// TestIsTerminal takes no device but a terminal for one.
func TestIsTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if IsTerminal(null) {
		t.Error("the null device counts as a terminal")
	}
}

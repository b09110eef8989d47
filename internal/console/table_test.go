package console

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
)

// A table fits the terminal: optional columns go first, then the widest cells are cut. The first
// column and ids stay whole, and a table that is not for a terminal is not cut.
func TestTableFitsTerminal(t *testing.T) {
	const id = "0192f3c1-6a5d-7b1e-9c55-2f6a1f0b7d11"
	write := func(width int, optional ...string) string {
		var b strings.Builder
		table := NewTable(&b, "session", "started", "runs", "title")
		table.width = width
		table.Optional(optional...)
		table.Row(id, "2026-11-27 10:00:00", 3, "Why did the nightly build of the shop fail, and is it safe to release? 漢字漢字")
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, tc := range []struct {
		width    int
		optional []string
		want     string // the row
	}{
		{0, nil, id + "  2026-11-27 10:00:00  3     Why did the nightly build of the shop fail, and is it safe to release? 漢字漢字"},
		{200, nil, id + "  2026-11-27 10:00:00  3     Why did the nightly build of the shop fail, and is it safe to release? 漢字漢字"},
		{100, nil, id + "  2026-11-27 10:00:00  3     Why did the nightly build of the s…"},
		{100, []string{"started", "runs"}, id + "  2026-11-27 10:00:00  3     Why did the nightly build of the s…"},
		{80, []string{"started", "runs"}, id + "  3     Why did the nightly build of the sh…"},
		{76, []string{"started", "runs"}, id + "  3     Why did the nightly build of th…"},
		{73, nil, id + "  2026-11-27 10:00:00  3     Why did…"},
		{60, []string{"started", "runs"}, id + "  Why did the nightly b…"},
		{40, []string{"started", "runs"}, id + "  Why did…"}, // nothing more can be cut
	} {
		out := write(tc.width, tc.optional...)
		row := strings.Split(out, "\n")[1]
		if row != tc.want {
			t.Errorf("width %d, optional %q: %q, want %q", tc.width, tc.optional, row, tc.want)
		}
		if tc.width >= 60 {
			for _, l := range strings.Split(out, "\n") {
				if runewidth.StringWidth(l) > tc.width {
					t.Errorf("width %d: a line takes %d columns: %q", tc.width, runewidth.StringWidth(l), l)
				}
			}
		}
	}
}

// A command that is too long for a row is below it.
func TestTableBelow(t *testing.T) {
	const command = "tapedeck play --from +1.5s 0192f3c1-6a5d-7b1e-9c55-2f6a1f0b7d11"
	for width, want := range map[int]string{
		0:   "STARTED              SESSION  PLAY IT\n2026-11-27 10:00:00  nightly  " + command + "\n",
		120: "STARTED              SESSION  PLAY IT\n2026-11-27 10:00:00  nightly  " + command + "\n",
		80:  "STARTED              SESSION\n2026-11-27 10:00:00  nightly\n  " + command + "\n",
	} {
		var b strings.Builder
		table := NewTable(&b, "started", "session", "play it")
		table.width = width
		table.Optional("session")
		table.Below()
		table.Row("2026-11-27 10:00:00", "nightly", command)
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want {
			t.Errorf("width %d:\n%swant\n%s", width, got, want)
		}
	}
}

// A table says which columns it left out.
func TestLeftOut(t *testing.T) {
	for width, want := range map[int][]string{0: nil, 100: nil, 20: {"cache read"}, 14: {"cache read", "total"}} {
		table := NewTable(&strings.Builder{}, "model", "cache read", "total")
		table.width = width
		table.Optional("cache read", "total")
		table.Row("gpt-5-mini", 1, 2)
		if err := table.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := table.LeftOut(); !slices.Equal(got, want) {
			t.Errorf("width %d: %q is left out, want %q", width, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	for _, tc := range []struct {
		done, total int64
		want        string
	}{{0, 0, ""}, {5, 0, ""}, {1, 4, "25%"}, {9, 4, "100%"}} {
		if got := Part(tc.done, tc.total, time.Now()); got != tc.want {
			t.Errorf("%d of %d: %q, want %q", tc.done, tc.total, got, tc.want)
		}
	}
	if got := Part(1, 4, time.Now().Add(-10e9)); got != "25%, 30 s left" {
		t.Errorf("a quarter in 10 s: %q", got)
	}
}

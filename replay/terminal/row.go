package terminal

import (
	"strings"
	"tapedeck/internal/console"
	"unicode"

	"golang.org/x/text/width"
)

// style is the display style of a text.
type style uint8

const (
	plain style = iota
	dim
	bold
	said   // text of the user
	think  // thinking of the model
	good   // success
	bad    // failure
	active // in progress
	note   // notes of the viewer
)

// sequences has the attributes of the styles, with colours and without. Without colours other
// attributes distinguish the styles.
var sequences = [...]struct{ coloured, bare string }{
	plain:  {"", ""},
	dim:    {"2", "2"},
	bold:   {"1", "1"},
	said:   {"1;36", "1"},
	think:  {"2;3", "2;3"},
	good:   {"32", ""},
	bad:    {"31", "1"},
	active: {"33", "1"},
	note:   {"35", ""},
}

// piece is a text in one style, without control characters.
type piece struct {
	text  string
	style style
}

// row is one line of the screen.
type row []piece

// columns returns the number of columns of a rune.
func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if r < 0x1100 {
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// extent returns the number of columns of a text.
func extent(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func (r row) extent() (n int) {
	for _, p := range r {
		n += extent(p.text)
	}
	return n
}

// cut shortens a text to most columns, with an ellipsis.
func cut(s string, most int) string {
	if extent(s) <= most {
		return s
	}
	n := 0
	for i, r := range s {
		if n += columns(r); n > most-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// fit shortens a row to most columns.
func (r row) fit(most int) row {
	if r.extent() <= most {
		return r
	}
	var out row
	for _, p := range r {
		n := extent(p.text)
		if n >= most {
			if most > 0 {
				out = append(out, piece{cut(p.text+" ", most), p.style})
			}
			break
		}
		out, most = append(out, p), most-n
	}
	return out
}

// wrap breaks a text into lines of at most most columns, at white space if possible. Tabs become
// spaces.
func wrap(s string, most int) (lines []string) {
	most = max(most, 1)
	for line := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		lines = append(lines, wrapLine(console.Visible(strings.ReplaceAll(line, "\t", "    "), ""), most)...)
	}
	return lines
}

func wrapLine(s string, most int) (lines []string) {
	start, space, n, atSpace := 0, -1, 0, 0 // space is after the last white space of the line
	for i, r := range s {
		w := columns(r)
		if n+w > most && i > start {
			end, next, left := i, i, 0
			if space > start {
				end, next, left = space, space, n-atSpace
			}
			lines = append(lines, strings.TrimRight(s[start:end], " "))
			start, space, n = next, -1, left
		}
		n += w
		if r == ' ' {
			space, atSpace = i+1, n
		}
	}
	return append(lines, s[start:])
}

// Package terminaltest provides a terminal's screen for tests. It interprets the sequences that the
// terminal player sends, and records all others.
package terminaltest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Screen is a terminal's screen on which each rune takes one column. It is an io.Writer and safe
// for concurrent use.
type Screen struct {
	mu       sync.Mutex // guards the fields below
	lines    [][]rune
	row, col int
	pending  []byte
	other    bool // the alternate screen is shown
	hidden   bool // the cursor is hidden
	styles   map[string]bool
	strange  []string
	normal   strings.Builder // output while the alternate screen was not shown
}

// New returns an empty screen.
func New(width, height int) *Screen {
	s := &Screen{styles: map[string]bool{}}
	s.Resize(width, height)
	return s
}

// Resize clears the screen and sets its size.
func (s *Screen) Resize(width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = make([][]rune, height)
	for i := range s.lines {
		s.lines[i] = []rune(strings.Repeat(" ", width))
	}
}

var sequence = regexp.MustCompile(`^\x1b\[([?0-9;]*)([A-Za-z])`)

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := append(s.pending, p...)
	for len(b) > 0 {
		if b[0] == 0x1b {
			m := sequence.FindSubmatch(b)
			if m == nil {
				if len(b) < 16 { // the sequence may be incomplete
					break
				}
				s.strange = append(s.strange, fmt.Sprintf("%q", b[:16]))
				b = b[1:]
				continue
			}
			s.apply(string(m[1]), string(m[2]))
			b = b[len(m[0]):]
			continue
		}
		if !utf8.FullRune(b) {
			break
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			s.strange = append(s.strange, fmt.Sprintf("%q", b[:1]))
		} else {
			s.put(r)
		}
		b = b[n:]
	}
	s.pending = append([]byte(nil), b...)
	return len(p), nil
}

func (s *Screen) put(r rune) {
	switch {
	case !s.other:
		s.normal.WriteRune(r)
	case unicode.IsControl(r):
		s.strange = append(s.strange, fmt.Sprintf("%q", r))
	default:
		if s.row < len(s.lines) && s.col < len(s.lines[s.row]) {
			s.lines[s.row][s.col] = r
		}
		s.col++
	}
}

func (s *Screen) apply(arguments, letter string) {
	switch arguments + letter {
	case "?1049h", "?1049l":
		s.other = letter == "h"
		return
	case "?25h", "?25l":
		s.hidden = letter == "l"
		return
	case "?7l", "?7h", "?2026h", "?2026l":
		return
	case "2J":
		for _, line := range s.lines {
			clearFrom(line, 0)
		}
		return
	case "K":
		if s.row < len(s.lines) {
			clearFrom(s.lines[s.row], s.col)
		}
		return
	}
	row, col, two := strings.Cut(arguments, ";")
	y, err1 := strconv.Atoi(row)
	x, err2 := strconv.Atoi(col)
	switch {
	case letter == "m":
		s.styles[arguments] = true
	case letter == "H" && two && err1 == nil && err2 == nil:
		s.row, s.col = y-1, x-1
	default:
		s.strange = append(s.strange, fmt.Sprintf("ESC [ %s %s", arguments, letter))
	}
}

func clearFrom(line []rune, at int) {
	for i := min(at, len(line)); i < len(line); i++ {
		line[i] = ' '
	}
}

// Text returns the contents of the screen, without white space at the ends of lines.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// Restored reports whether the normal screen is shown, with its cursor.
func (s *Screen) Restored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.other && !s.hidden
}

// Normal returns the output to the normal screen, before and after the use of the alternate screen.
func (s *Screen) Normal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.normal.String()
}

// Strange returns received output that a player must not send: control characters, and sequences
// that the screen does not support.
func (s *Screen) Strange() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.strange...)
}

// Styles returns the attributes that were used, such as "1;36".
func (s *Screen) Styles() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	styles := map[string]bool{}
	for k := range s.styles {
		styles[k] = true
	}
	return styles
}

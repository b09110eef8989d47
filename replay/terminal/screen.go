package terminal

import (
	"bytes"
	"fmt"
	"io"
	"tapedeck/internal/console"
)

const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?7l" // alternate screen, no cursor, no wrapping
	leave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
	begin = "\x1b[?2026h" // synchronized update, if the terminal supports it
	end   = "\x1b[?2026l"
)

// screen draws on a terminal. It sends only changed rows.
type screen struct {
	w             io.Writer
	colours       bool
	width, height int
	shown         [][]byte // the rows as sent; nil if unknown
	buf           bytes.Buffer
}

// resize sets the size, and marks all rows as unknown.
func (s *screen) resize(width, height int) {
	s.width, s.height = width, height
	s.shown = nil
}

// draw shows rows: at most as many as the screen has, each cut to its width.
func (s *screen) draw(rows []row) error {
	s.buf.Reset()
	s.buf.WriteString(begin)
	if s.shown == nil {
		s.buf.WriteString("\x1b[0m\x1b[2J")
		s.shown = make([][]byte, s.height)
	}
	changed := false
	for i := range s.height {
		var r row
		if i < len(rows) {
			r = rows[i].fit(s.width)
		}
		text := s.encodeRow(r)
		if s.shown[i] != nil && bytes.Equal(text, s.shown[i]) {
			continue
		}
		fmt.Fprintf(&s.buf, "\x1b[%d;1H%s\x1b[0m\x1b[K", i+1, text)
		s.shown[i], changed = text, true
	}
	if !changed {
		return nil
	}
	s.buf.WriteString(end)
	_, err := s.w.Write(s.buf.Bytes())
	return err
}

// encodeRow returns the bytes of a row. Control characters in the pieces are
// removed.
func (s *screen) encodeRow(r row) []byte {
	out := []byte{}
	for _, p := range r {
		text := console.Visible(p.text, "")
		seq := sequences[p.style].bare
		if s.colours {
			seq = sequences[p.style].coloured
		}
		if seq == "" {
			out = append(out, text...)
			continue
		}
		out = append(out, "\x1b["+seq+"m"+text+"\x1b[0m"...)
	}
	return out
}

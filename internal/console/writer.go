package console

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// To returns a writer for terminal output. Recorded bytes are untrusted, so the writer escapes
// control characters. Machine-readable output and recorded bytes are written without it.
func To(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

// Write implements io.Writer. A text must be written in one call, or be split between runes.
func (s escaper) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, Visible(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Recorded returns a writer of recorded bytes to standard output: as they are to a file or a pipe,
// with control characters escaped to a terminal. On a terminal the last bytes are left out if they
// are an incomplete character.
func Recorded(f *os.File) io.Writer {
	if IsTerminal(f) {
		return &stream{w: f}
	}
	return f
}

// stream escapes what comes in pieces, which may end within a character or a line end.
type stream struct {
	w    io.Writer
	held []byte // the end of the last piece: an incomplete character, or a carriage return
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	text := append(s.held, p...)
	whole := len(text)
	for back := 1; back <= utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) || text[at] == '\r' {
				whole = at
			}
			break
		}
	}
	// A carriage return before a line feed is a line end.
	shown := Visible(strings.ReplaceAll(string(text[:whole]), "\r\n", "\n"), "\n\t")
	s.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(s.w, shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

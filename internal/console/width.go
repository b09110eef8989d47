package console

import (
	"io"
	"os"
	"strconv"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// CutLine cuts a line to a number of columns, with a mark of the cut. A width of 0 leaves it whole.
func CutLine(line string, width int) string {
	if width == 0 {
		return line
	}
	return runewidth.Truncate(line, width, "…")
}

// TerminalWidth returns the number of columns of a terminal, which COLUMNS in the environment
// overrides; 0 if w is no terminal, or of unknown width.
func TerminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !IsTerminal(f) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

package console

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

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

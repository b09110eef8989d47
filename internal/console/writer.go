package console

import "io"

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

package providerexport

import (
	"io"
	"sort"
)

// maxRow bounds the bytes of a row or value, and so of the parsers' buffers.
const maxRow = 4 << 20

// input is the bytes of an export. It fails once a parser has read maxRow bytes beyond the
// last row that it returned, and it knows the line of an offset that the parser has not
// passed.
type input struct {
	from   io.Reader
	read   int64   // bytes
	passed int64   // bytes of rows that the parser returned
	line   int     // of passed, from 1 on
	breaks []int64 // offsets of line ends from passed on
}

func newInput(from io.Reader) *input { return &input{from: from, line: 1} }

// Read reads on.
func (in *input) Read(p []byte) (int, error) {
	if in.read-in.passed > maxRow {
		return 0, &Error{in.line, "", "a row is longer than 4 MiB: a quote or a bracket may not be closed"}
	}
	n, err := in.from.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			in.breaks = append(in.breaks, in.read+int64(i))
		}
	}
	in.read += int64(n)
	return n, err
}

// pass says that the parser has returned all rows before an offset.
func (in *input) pass(offset int64) {
	in.passed = offset
	n := sort.Search(len(in.breaks), func(i int) bool { return in.breaks[i] >= offset })
	in.line += n
	in.breaks = in.breaks[:copy(in.breaks, in.breaks[n:])]
}

// lineAt returns the line of an offset that was not passed.
func (in *input) lineAt(offset int64) int {
	return in.line + sort.Search(len(in.breaks), func(i int) bool { return in.breaks[i] >= offset })
}

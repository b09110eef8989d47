package providerexport

import (
	"io"
	"sort"
)

// maxRow bounds the bytes of a row or value, and so the parsers' buffers.
const maxRow = 4 << 20

// input reads the bytes of an export. Read fails once a parser has read maxRow bytes beyond the
// last row that it returned. input also knows the line number of every offset that the parser has
// not passed yet.
type input struct {
	from   io.Reader
	read   int64   // bytes
	passed int64   // bytes of the rows that the parser has returned
	line   int     // line number at passed, from 1
	breaks []int64 // offsets of line ends from passed on
}

func newInput(from io.Reader) *input { return &input{from: from, line: 1} }

// Read implements io.Reader.
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

// pass records that the parser has returned all rows before an offset.
func (in *input) pass(offset int64) {
	in.passed = offset
	n := sort.Search(len(in.breaks), func(i int) bool { return in.breaks[i] >= offset })
	in.line += n
	in.breaks = in.breaks[:copy(in.breaks, in.breaks[n:])]
}

// lineAt returns the line number of an offset that the parser has not passed.
func (in *input) lineAt(offset int64) int {
	return in.line + sort.Search(len(in.breaks), func(i int) bool { return in.breaks[i] >= offset })
}

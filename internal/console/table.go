package console

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Table prints rows with aligned columns and the heading in capitals.
type Table struct{ w *tabwriter.Writer }

// NewTable begins a table with its heading.
func NewTable(out io.Writer, columns ...string) *Table {
	t := &Table{tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)}
	heads := make([]any, len(columns))
	for i, c := range columns {
		heads[i] = strings.ToUpper(c)
		if strings.HasPrefix(c, "tag:") { // a name, whose case matters
			heads[i] = "TAG:" + c[len("tag:"):]
		}
	}
	t.Row(heads...)
	return t
}

// Row adds a row. Its cells are formatted as fmt.Print does, each on one line.
func (t *Table) Row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		fmt.Fprint(t.w, cell(fmt.Sprint(c)))
	}
	fmt.Fprintln(t.w)
}

// Flush writes the rows.
func (t *Table) Flush() error { return t.w.Flush() }

// cell replaces characters that would end a cell by spaces.
func cell(s string) string {
	return Visible(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s), "")
}

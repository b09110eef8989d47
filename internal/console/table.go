package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

const (
	// columnGap is the number of spaces between two columns.
	columnGap = 2
	// leastWidth is the width to which a cell is cut at most, with the mark of the cut. A time fits.
	leastWidth = 19
	// leastLast is the same for the last column, which is often a text, if the row is too wide otherwise.
	leastLast = 8
)

// wholeColumns are the columns with cells that a person copies, which are of no use if they are cut.
var wholeColumns = []string{"SESSION", "STREAM", "ID", "BILL", "PLAY IT"}

// Table prints rows with aligned columns and the heading in capitals. On a terminal, rows are as
// wide as the terminal at most: long cells are cut, but not in the first column, which identifies
// the row, or in wholeColumns, columns of Optional are left out, and a last column of Below is on
// lines of its own.
type Table struct {
	out      io.Writer
	width    int // of the terminal; 0 for none
	rows     [][]string
	optional []int // columns, the first to be left out first
	below    bool  // the last column may be on lines of its own
	leftOut  []string
}

// NewTable begins a table with its heading.
func NewTable(out io.Writer, columns ...string) *Table {
	t := &Table{out: out, width: TerminalWidth(out)}
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

// Optional names columns, as they were named to NewTable, that are left out on a terminal that is
// too narrow, in this order. Unknown names are ignored.
func (t *Table) Optional(columns ...string) {
	for _, c := range columns {
		if i := slices.Index(t.rows[0], strings.ToUpper(c)); i >= 0 {
			t.optional = append(t.optional, i)
		}
	}
}

// Below lets the cells of the last column be on lines of their own, below their rows, on a terminal
// that is too narrow for them beside the rest.
func (t *Table) Below() { t.below = true }

// Row adds a row. Its cells are formatted as fmt.Print does, each on one line.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = cell(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// LeftOut returns the columns that Flush left out.
func (t *Table) LeftOut() []string { return t.leftOut }

// Flush writes the rows.
func (t *Table) Flush() error {
	widths := t.columnWidths()
	t.fit(widths)
	var b strings.Builder
	for n, row := range t.rows {
		var line strings.Builder
		gap := 0
		for i, text := range row {
			if widths[i] < 0 { // left out
				continue
			}
			line.WriteString(strings.Repeat(" ", gap))
			text = runewidth.Truncate(text, widths[i], "…")
			line.WriteString(text)
			gap = widths[i] - runewidth.StringWidth(text) + columnGap
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
		if last := len(row) - 1; n > 0 && t.below && widths[last] < 0 {
			b.WriteString("  " + row[last] + "\n")
		}
	}
	t.rows = t.rows[:0]
	_, err := io.WriteString(t.out, b.String())
	return err
}

// columnWidths returns the width of each column's widest cell.
func (t *Table) columnWidths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(text))
		}
	}
	return widths
}

// fit lowers the widths of columns until a row fits the terminal, as far as they may be lowered. The
// width of a column that is left out becomes negative.
func (t *Table) fit(widths []int) {
	if t.width == 0 || len(widths) == 0 {
		return
	}
	least := slices.Clone(widths)
	for i := range least[1:] {
		if !slices.Contains(wholeColumns, t.rows[0][i+1]) {
			least[i+1] = min(widths[i+1], leastWidth)
		}
	}
	if last := len(widths) - 1; t.below && rowWidth(least) > t.width {
		widths[last], least[last] = -1, -1
	}
	for _, i := range t.optional {
		if rowWidth(least) <= t.width {
			break
		}
		widths[i], least[i] = -1, -1
		t.leftOut = append(t.leftOut, strings.ToLower(t.rows[0][i]))
	}
	if last := len(widths) - 1; last > 0 && rowWidth(least) > t.width && !slices.Contains(wholeColumns, t.rows[0][last]) {
		least[last] = min(least[last], leastLast)
	}
	for over := rowWidth(widths) - t.width; over > 0; over-- {
		widest := 0
		for i := range widths {
			if widths[i] > least[i] && (widest == 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest == 0 {
			return
		}
		widths[widest]--
	}
}

// rowWidth returns the width of a row with these columns.
func rowWidth(widths []int) int {
	sum := -columnGap
	for _, w := range widths {
		if w >= 0 {
			sum += w + columnGap
		}
	}
	return sum
}

// cell replaces characters that would end a cell by spaces.
func cell(s string) string {
	return Visible(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s), "")
}

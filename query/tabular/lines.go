package tabular

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode"

	"tapedeck/query/endpoint"
)

// NewLines returns an encoder that writes one value per line, without HTML escapes.
func NewLines(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// Cells says how CSV cells contain recorded text.
type Cells bool

// The forms of cells.
const (
	SafeCells Cells = false // formulas get an apostrophe (see SafeCell)
	RawCells  Cells = true  // as recorded
)

// ReadCells reads the parameter raw. csv reports whether the answer is CSV, the only format with
// this parameter.
func ReadCells(p *endpoint.Params, csv bool) Cells {
	raw := p.Flag("raw")
	if raw && !csv {
		p.Refuse("raw", p.Value("raw"), "goes with format=csv: other formats have what was recorded", "0")
	}
	return Cells(raw)
}

// Records writes CSV (RFC 4180). It keeps line ends within a cell, which csv.Writer would change.
type Records struct {
	w     io.Writer
	cells Cells
	line  []byte
}

// NewRecords returns a writer of records.
func NewRecords(w io.Writer, cells Cells) *Records { return &Records{w: w, cells: cells} }

// Write writes a record.
func (r *Records) Write(cells []string) error {
	r.line = r.line[:0]
	for i, cell := range cells {
		if i > 0 {
			r.line = append(r.line, ',')
		}
		r.line = AppendCell(r.line, cell, r.cells)
	}
	_, err := r.w.Write(append(r.line, "\r\n"...))
	return err
}

// AppendCell appends a cell to a line of CSV.
func AppendCell[T string | []byte](line []byte, cell T, form Cells) []byte {
	if form == SafeCells && len(cell) > 0 && !harmless[cell[0]] {
		return appendQuoted(line, SafeCell(string(cell)))
	}
	return appendQuoted(line, cell)
}

// appendQuoted appends a cell, in quotes if it needs any.
func appendQuoted[T string | []byte](line []byte, cell T) []byte {
	plain := true
	for i := range len(cell) {
		plain = plain && !special[cell[i]]
	}
	if plain {
		return append(line, cell...)
	}
	line = append(line, '"')
	from := 0
	for i := range len(cell) {
		if cell[i] == '"' {
			line, from = append(line, cell[from:i+1]...), i // the quote is appended twice
		}
	}
	return append(append(line, cell[from:]...), '"')
}

// special has the bytes of cells that need quotes. Spreadsheets also split at semicolons and tabs.
var special = bytesOf("\",\r\n;\t")

// harmless has the first bytes of most cells that SafeCell does not change.
var harmless = bytesOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ{[")

func bytesOf(text string) (set [256]bool) {
	for i := range len(text) {
		set[text[i]] = true
	}
	return set
}

// amount matches numbers. Spreadsheets do not treat a number as a formula even if it begins with a
// sign.
var amount = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// SafeCell returns a cell that no spreadsheet evaluates as a formula. If the text begins with =, +,
// -, @ or their full-width forms, also after white space or control characters, SafeCell puts an
// apostrophe before it. It returns other text, and numbers, unchanged.
func SafeCell(cell string) string {
	if cell == "" || cell[0] >= '0' && cell[0] <= '9' || cell[0] >= 'a' && cell[0] <= 'z' ||
		cell[0] >= 'A' && cell[0] <= 'Z' {
		return cell
	}
	first := strings.TrimLeftFunc(
		cell,
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) },
	)
	for _, sign := range [...]string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(first, sign) && !amount.MatchString(cell) {
			return "'" + cell
		}
	}
	return cell
}

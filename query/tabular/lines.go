package tabular

import (
	"encoding/json"
	"io"
	"strings"
)

// NewLines returns an encoder that writes one value per line, without HTML escapes.
func NewLines(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// Records writes CSV (RFC 4180). It writes cells unchanged, even if a spreadsheet would read a cell
// as a formula, and keeps line ends within cells, which csv.Writer changes.
type Records struct {
	w    io.Writer
	line []byte
}

// NewRecords returns a writer of records.
func NewRecords(w io.Writer) *Records { return &Records{w: w} }

// Write writes a record.
func (r *Records) Write(cells []string) error {
	r.line = r.line[:0]
	for i, cell := range cells {
		if i > 0 {
			r.line = append(r.line, ',')
		}
		if strings.ContainsAny(cell, "\",\r\n") {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		r.line = append(r.line, cell...)
	}
	_, err := r.w.Write(append(r.line, "\r\n"...))
	return err
}

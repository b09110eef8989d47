package providerexport

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readCSV reads a CSV file with a header.
func readCSV(e *Export, from *bufio.Reader, in *input, o Options) error {
	if mark, err := from.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		if _, err := from.Discard(len(mark)); err != nil {
			return err
		}
	}
	c := csv.NewReader(from)
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	columns, err := c.Read()
	if err != nil {
		return csvError(err)
	}
	columns = slices.Clone(columns)
	for i, name := range columns {
		columns[i] = strings.TrimSpace(name)
		if slices.Contains(columns[:i], columns[i]) {
			return &Error{1, columns[i], "the column occurs twice"}
		}
	}
	f := csvFormat(columns)
	if err := e.begin(f, o, 1); err != nil {
		return err
	}
	r := &row{fields: make(map[string]string, len(columns))}
	r.line = func(string) int { return 1 }
	if check(f, columns, o, r.fail); r.err != nil {
		return r.err
	}
	for {
		in.pass(c.InputOffset())
		cells, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(err)
		}
		line, _ := c.FieldPos(0)
		r.line = func(string) int { return line }
		if len(cells) != len(columns) {
			return &Error{Line: line, Why: "it has " + strconv.Itoa(len(cells)) + " cells, and the head has " +
				strconv.Itoa(len(columns))}
		}
		for i, name := range columns {
			r.fields[name] = cells[i]
		}
		if empty(f, r) { // a bucket of time without usage
			e.cover(r.unixDay("start_time", "end_time"))
		} else if n := f.read(r); r.err == nil {
			e.add(n, r)
		}
		if r.err != nil {
			return r.err
		}
	}
}

// empty reports whether a row of an OpenAI export has times only.
func empty(f *format, r *row) bool {
	if f.provider != OpenAI {
		return false
	}
	for name, value := range r.fields {
		if value != "" && !strings.HasPrefix(name, "start_time") && !strings.HasPrefix(name, "end_time") {
			return false
		}
	}
	return true
}

func csvError(err error) error {
	if at, ok := errors.AsType[*Error](err); ok {
		return at
	}
	if at, ok := errors.AsType[*csv.ParseError](err); ok {
		return &Error{Line: at.Line, Why: "it is not CSV: " + at.Err.Error()}
	}
	if err == io.EOF {
		return &Error{Why: "it is empty"}
	}
	return err
}

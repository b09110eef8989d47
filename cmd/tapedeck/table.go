package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// table prints rows for people: columns aligned, the heading in capitals.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, columns ...string) *table {
	t := &table{tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)}
	heads := make([]any, len(columns))
	for i, c := range columns {
		heads[i] = strings.ToUpper(c)
		if strings.HasPrefix(c, "tag:") { // a name, in which case matters
			heads[i] = "TAG:" + c[len("tag:"):]
		}
	}
	t.row(heads...)
	return t
}

// row adds one row; its cells are printed as fmt.Print does, on one line each.
func (t *table) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		fmt.Fprint(t.w, cell(fmt.Sprint(c)))
	}
	fmt.Fprintln(t.w)
}

// cell keeps a text in its cell: what would end it becomes a space.
func cell(s string) string {
	return visible(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s), "")
}

func (t *table) flush() error { return t.w.Flush() }

// thousands writes a count with its groups: 1,234,567.
func thousands[N ~int | ~int64 | ~uint64](n N) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// millis writes a duration given in milliseconds as people say it.
func millis(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return fmt.Sprintf("%.1fms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// localTime writes a time in the user's zone.
func localTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// clip cuts a text to one line of at most n runes, which a terminal can show.
func clip(s string, n int) string {
	s = line(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// or gives the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

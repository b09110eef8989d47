package prices

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"tapedeck/internal/calendar"
)

// FileError is an error in a price file.
type FileError struct {
	File  string
	Line  int    // from 1; 0 for the whole file
	Field string // such as discounts[2].factor, counted from 0
	What  string // what is wrong and how to correct it
}

func (e *FileError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	if e.Field != "" {
		where += ": " + e.Field
	}
	return where + ": " + e.What
}

// FileErrors are the first errors in a price file, in the order of its lines.
type FileErrors []*FileError

func (list FileErrors) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Bounds of price files.
const (
	MaxFile       = 1 << 20 // bytes
	maxFileRules  = 10_000
	maxFileErrors = 20
)

// fileReader reads the nodes of a price file and collects the errors.
type fileReader struct {
	file   string
	errors FileErrors
	rules  int
}

func (r *fileReader) fail(n *yaml.Node, field, format string, args ...any) {
	if len(r.errors) < maxFileErrors {
		r.errors = append(r.errors, &FileError{r.file, n.Line, field, fmt.Sprintf(format, args...)})
	}
}

// document returns the top node of a file, nil if the file has none.
func (r *fileReader) document(text string) *yaml.Node {
	if len(text) > MaxFile {
		r.errors = append(r.errors,
			&FileError{File: r.file,
				What: fmt.Sprintf("the file has %d bytes, at most %d are allowed", len(text), MaxFile)})
		return nil
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			r.errors = append(r.errors, &FileError{File: r.file, What: strings.TrimPrefix(err.Error(), "yaml: ")})
		}
		return nil
	}
	if d.Decode(&second) == nil {
		r.fail(&second, "", "the file has a second document; write one")
	}
	return doc.Content[0]
}

// field reads the value of a field.
type field func(n *yaml.Node, path string)

// fields calls the reader of each field of a mapping.
func (r *fileReader) fields(n *yaml.Node, path string, known map[string]field) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, "expected fields, as \"name: value\"")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := joined(path, key.Value)
		read, ok := known[key.Value]
		switch {
		case !ok:
			r.fail(key, at, "there is no such field%s", hint(key.Value, sortedKeys(known)))
		case seen[key.Value]:
			r.fail(key, at, "the field occurs twice")
		default:
			read(value, at)
		}
		seen[key.Value] = true
	}
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// items calls read for each item of a list.
func (r *fileReader) items(n *yaml.Node, path string, read field) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, path, "expected a list, whose items begin with \"- \"")
		return
	}
	for i, item := range n.Content {
		read(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// text reads a scalar text.
func (r *fileReader) text(n *yaml.Node, path string) string {
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" || n.Tag == "!!null" {
		r.fail(n, path, "expected a text")
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// texts reads one text or a list of texts.
func (r *fileReader) texts(n *yaml.Node, path string) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{r.text(n, path)}
	}
	var list []string
	r.items(n, path, func(item *yaml.Node, path string) { list = append(list, r.text(item, path)) })
	if n.Kind == yaml.SequenceNode && len(list) == 0 {
		r.fail(n, path, "the list is empty; leave the field out to mean all")
	}
	return list
}

// number matches a decimal number of a file, with bounded length and without an exponent.
var number = regexp.MustCompile(`^\d{1,12}(\.\d{1,12})?$`)

// decimal reads a number that is not negative.
func (r *fileReader) decimal(n *yaml.Node, path string) decimal.Decimal {
	switch text := n.Value; {
	case n.Kind == yaml.ScalarNode && number.MatchString(text):
		return decimal.RequireFromString(text)
	case n.Kind == yaml.ScalarNode && strings.HasPrefix(text, "-"):
		r.fail(n, path, "%s is negative; write 0 or more", clip(text))
	default:
		r.fail(n, path, "expected a number as 1.25, with at most 12 digits on each side of the point")
	}
	return decimal.Zero
}

// positive reads a number above zero.
func (r *fileReader) positive(n *yaml.Node, path string) decimal.Decimal {
	failed := len(r.errors)
	d := r.decimal(n, path)
	if d.IsZero() && len(r.errors) == failed {
		r.fail(n, path, "expected a number above 0")
	}
	return d
}

// count reads a whole number above zero.
func (r *fileReader) count(n *yaml.Node, path string) int64 {
	failed := len(r.errors)
	d := r.decimal(n, path)
	if len(r.errors) == failed && (d.IsZero() || !d.IsInteger()) {
		r.fail(n, path, "expected a whole number above 0")
	}
	return d.IntPart()
}

// moment reads a date, which means midnight in UTC, or a time.
func (r *fileReader) moment(n *yaml.Node, path string) time.Time {
	return r.momentIn(n, path, time.UTC)
}

// momentIn reads a date, which means its first instant in a zone, or a time.
func (r *fileReader) momentIn(n *yaml.Node, path string, zone *time.Location) time.Time {
	inReach := func(t time.Time) bool { return t.Year() >= 1970 && t.Year() <= 2261 }
	if date, err := time.Parse(time.DateOnly, n.Value); err == nil && inReach(date) {
		return calendar.StartOf(date, zone).UTC()
	}
	if t, err := time.Parse(time.RFC3339, n.Value); err == nil && inReach(t) {
		return t.UTC()
	}
	r.fail(n, path, "%q is neither a date as 2026-10-01 nor a time as 2026-10-01T12:00:00Z in the years 1970 to 2261",
		clip(n.Value))
	return time.Time{}
}

// flag reads true or false.
func (r *fileReader) flag(n *yaml.Node, path string) bool {
	if n.Value != "true" && n.Value != "false" {
		r.fail(n, path, "expected true or false")
	}
	return n.Value == "true"
}

// clip shortens a text of the file for an error.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

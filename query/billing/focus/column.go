package focus

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// kind is the data type of a column, as metadata names it.
type kind string

const (
	text     kind = "STRING"
	number   kind = "DECIMAL"
	instant  kind = "DATETIME"
	document kind = "JSON"
)

// column is a column of a dataset. value returns the cell of a record; "" is null, since no
// column may have an empty string.
type column[T any] struct {
	name  string
	kind  kind
	value func(*T) string
}

// moment formats a time as the specification's Date/Time Format: UTC, in seconds.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// amount formats a number without an exponent and without zeros at its end.
func amount(d decimal.Decimal) string { return d.String() }

// amountOrNull formats a number; null is "".
func amountOrNull(d decimal.NullDecimal) string {
	if !d.Valid {
		return ""
	}
	return amount(d.Decimal)
}

// name returns a text from outside as a value of a column. A text of white space alone is
// null, and what is not UTF-8 is replaced.
func name(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return valid(s)
}

// valid returns a text in which each byte that is not of UTF-8 is replaced, as JSON has it.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// object formats key-value pairs, sorted by key; none are null.
func object(pairs map[string]string) string {
	if len(pairs) == 0 {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(pairs); err != nil {
		panic(err) // strings have a JSON form
	}
	return strings.TrimSpace(b.String())
}

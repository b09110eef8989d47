package focus

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// kind is the data type of a column, by its name in the metadata.
type kind string

const (
	text     kind = "STRING"
	number   kind = "DECIMAL"
	instant  kind = "DATETIME"
	document kind = "JSON"
)

// column is a column of a dataset. value returns the cell of a record; "" means null, since the
// specification does not allow empty strings.
type column[T any] struct {
	name  string
	kind  kind
	value func(*T) string
}

// moment formats a time as the specification's Date/Time Format: UTC, in seconds.
func moment(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// amount formats a number without an exponent and without trailing zeros.
func amount(d decimal.Decimal) string { return d.String() }

// amountOrNull formats a number; null is "".
func amountOrNull(d decimal.NullDecimal) string {
	if !d.Valid {
		return ""
	}
	return amount(d.Decimal)
}

// name returns an external text as the value of a column. A text of white space only is null, and
// invalid UTF-8 is replaced.
func name(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return valid(s)
}

// valid returns a text in which each invalid byte of UTF-8 is replaced, as encoding/json does.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// object formats key-value pairs as JSON, sorted by key; no pair is null.
func object(pairs map[string]string) string {
	if len(pairs) == 0 {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(pairs); err != nil {
		panic(err) // strings can always be encoded
	}
	return strings.TrimSpace(b.String())
}

package providerexport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/schema"
)

// Error is an error in the contents of an export.
type Error struct {
	Line  int    // from 1; in JSON the line on which the value ends; 0 if unknown
	Field string // the column, or the path of a member; "" if no single field is wrong
	Why   string
}

// Error returns the line, the field and the reason.
func (e *Error) Error() string {
	var at []string
	if e.Line > 0 {
		at = append(at, "line "+strconv.Itoa(e.Line))
	}
	if e.Field != "" {
		at = append(at, fmt.Sprintf("field %q", e.Field))
	}
	if len(at) == 0 {
		return e.Why
	}
	return strings.Join(at, ", ") + ": " + e.Why
}

// row is a line of CSV or a result in JSON. It keeps the first error.
type row struct {
	fields map[string]string // empty for null
	line   func(field string) int
	prefix string // of the path of a member
	err    error
}

func (r *row) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.line(field), r.prefix + field, fmt.Sprintf(format, args...)}
	}
}

func (r *row) has(field string) bool { _, ok := r.fields[field]; return ok }

func (r *row) text(field string) string { return strings.TrimSpace(r.fields[field]) }

// maxCount bounds the tokens of a row.
const maxCount = 1e15

// count parses a whole number. Spreadsheets write whole numbers as 10.0.
func (r *row) count(field string) int64 {
	text := r.text(field)
	if whole, zeros, ok := strings.Cut(text, "."); ok && zeros != "" && strings.Trim(zeros, "0") == "" {
		text = whole
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxCount {
		r.fail(field, "%.40q is not a whole number from 0 on", r.fields[field])
	}
	return n
}

// optionalCount is count for a field that may be absent or empty, which means 0.
func (r *row) optionalCount(field string) int64 {
	if r.text(field) == "" {
		return 0
	}
	return r.count(field)
}

// amount parses a decimal number, which is negative for a credit.
func (r *row) amount(field string) decimal.Decimal {
	text := r.text(field)
	digits, negative := strings.CutPrefix(text, "-")
	if !schema.IsDecimal(digits) {
		r.fail(field, "%.40q is not a decimal number", r.fields[field])
		return decimal.Zero
	}
	d, err := decimal.NewFromString(digits)
	if err != nil {
		r.fail(field, "%.40q is not a decimal number", r.fields[field])
	}
	if negative {
		return d.Neg()
	}
	return d
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func (r *row) currency(field string) string {
	code := strings.ToUpper(r.text(field))
	if !currencyCode.MatchString(code) {
		r.fail(field, "%.40q is not a currency's code of three letters", r.fields[field])
	}
	return code
}

const day = 24 * time.Hour

// unixDay returns the day in UTC of a bucket of time, from two fields in seconds since 1970.
func (r *row) unixDay(first, end string) string {
	return r.dayOf(first, end, func(field string) time.Time {
		n := r.count(field)
		if n > 1e11 {
			r.fail(field, "%.40q is not a time in seconds since 1970", r.fields[field])
		}
		return time.Unix(n, 0).UTC()
	})
}

// instantDay is unixDay for times in RFC 3339.
func (r *row) instantDay(first, end string) string {
	return r.dayOf(first, end, func(field string) time.Time {
		t, err := time.Parse(time.RFC3339, r.text(field))
		if err != nil {
			r.fail(field, "%.40q is not a time such as 2025-08-01T00:00:00Z", r.fields[field])
		}
		return t.UTC()
	})
}

func (r *row) dayOf(first, end string, read func(field string) time.Time) string {
	from, to := read(first), read(end)
	if r.err == nil && (!to.After(from) || to.After(from.Truncate(day).Add(day))) {
		r.fail(end, "%.40q is not within the day (UTC) of %s; export buckets of a day, an hour or a minute",
			r.fields[end], first)
	}
	return from.Format(time.DateOnly)
}

// date parses a date.
func (r *row) date(field string) string {
	t, err := time.Parse(time.DateOnly, r.text(field))
	if err != nil {
		r.fail(field, "%.40q is not a date such as 2025-08-01", r.fields[field])
	}
	return t.Format(time.DateOnly)
}

package focus_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// requirement is what the specification requires of a column. source is the file of
// github.com/FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, below specification/, that says so.
type requirement struct {
	column  string
	in      versions
	level   level
	unless  string // why a conditional or recommended column is not there; "" if it must be
	nulls   bool   // whether the column may be null at all; relations say when
	kind    valueKind
	allowed []string
	source  string
}

type versions int

const (
	only12 versions = 1 << iota
	only14
	both = only12 | only14
)

type level string

const (
	mandatory   level = "mandatory"
	conditional level = "conditional"
	recommended level = "recommended"
)

type valueKind string

const (
	textValue     valueKind = "String"
	decimalValue  valueKind = "Decimal"
	unsignedPrice valueKind = "Decimal, not negative"
	dateTimeValue valueKind = "Date/Time"
	currencyValue valueKind = "Currency"
	jsonValue     valueKind = "JSON"
	unitValue     valueKind = "Unit"
)

var (
	// attributes/numeric_format.md: digits with at most one point, a sign only where negative.
	numberForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	// attributes/currency_format.md: ISO 4217.
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
	// attributes/unit_format.md: a positive whole number, if any, and a capitalized noun in plural.
	unitForm = regexp.MustCompile(`^([1-9][0-9]* )?[A-Z][A-Za-z]*s$`)
	// attributes/custom_column_handling.md and focus_column_handling.md.
	ownName   = regexp.MustCompile(`^x_[A-Z][A-Za-z0-9]*$`)
	focusName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
)

// check returns what is wrong with a value that is not null.
func (k valueKind) check(value string) error {
	switch k {
	case decimalValue, unsignedPrice:
		if !numberForm.MatchString(value) {
			return fmt.Errorf("%q is no number in the numeric format", value)
		}
		if k == unsignedPrice && strings.HasPrefix(value, "-") {
			return fmt.Errorf("%s is negative", value)
		}
	case dateTimeValue:
		// attributes/datetime_format.md: UTC, in seconds, with Z.
		if _, err := time.Parse("2006-01-02T15:04:05Z", value); err != nil || len(value) != len("2006-01-02T15:04:05Z") {
			return fmt.Errorf("%q is no date/time in UTC", value)
		}
	case currencyValue:
		if !currencyForm.MatchString(value) {
			return fmt.Errorf("%q is no ISO 4217 code", value)
		}
	case unitValue:
		if !unitForm.MatchString(value) {
			return fmt.Errorf("%q is not in the unit format", value)
		}
	case jsonValue:
		return flatObject(value)
	case textValue:
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("%q is white space alone", value)
		}
	}
	return nil
}

// flatObject checks attributes/key_value_format.md: an object with unique keys, whose values
// are no objects or lists.
func flatObject(value string) error {
	d := json.NewDecoder(strings.NewReader(value))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("%q is no JSON object", value)
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if seen[key.(string)] {
			return fmt.Errorf("key %q stands twice", key)
		}
		seen[key.(string)] = true
		of, err := d.Token()
		if err != nil {
			return err
		}
		if _, ok := of.(json.Delim); ok {
			return fmt.Errorf("the value of %q is an object or a list", key)
		}
	}
	_, err := d.Token()
	return err
}

// checkColumns returns what is wrong with the columns of a dataset: those that are missing,
// those that are not of the specification, their names and their order.
func checkColumns(names []string, table []requirement, in versions) (wrong []string) {
	known := map[string]bool{}
	for _, r := range table {
		if r.in&in == 0 {
			continue
		}
		known[r.column] = true
		present := slices.Contains(names, r.column)
		switch {
		case !present && (r.level == mandatory || r.unless == ""):
			wrong = append(wrong, fmt.Sprintf("%s is missing (%s, %s)", r.column, r.level, r.source))
		case present && r.unless != "":
			wrong = append(wrong, fmt.Sprintf("%s is there, although %s", r.column, r.unless))
		}
	}
	own := false
	for i, n := range names {
		custom := strings.HasPrefix(n, "x_")
		switch {
		case slices.Contains(names[:i], n):
			wrong = append(wrong, n+" stands twice")
		case custom && !ownName.MatchString(n), !custom && !focusName.MatchString(n), len(n) > 50:
			wrong = append(wrong, n+" is no name of a column")
		case !custom && !known[n]:
			wrong = append(wrong, n+" is not in the specification and lacks x_")
		case !custom && own:
			wrong = append(wrong, n+" comes after own columns")
		case i > 0 && custom == own && names[i-1] >= n:
			wrong = append(wrong, n+" is out of order")
		}
		own = custom
	}
	return wrong
}

// checkValues returns what is wrong with the values of a record.
func checkValues(r record, table []requirement, in versions) (wrong []string) {
	for _, q := range table {
		value, present := r[q.column]
		if q.in&in == 0 || !present {
			continue
		}
		if value == "" {
			if !q.nulls {
				wrong = append(wrong, fmt.Sprintf("%s is null (%s)", q.column, q.source))
			}
			continue
		}
		if err := q.kind.check(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v (%s)", q.column, err, q.source))
		}
		if q.allowed != nil && !slices.Contains(q.allowed, value) {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not allowed (%s)", q.column, value, q.source))
		}
	}
	return wrong
}

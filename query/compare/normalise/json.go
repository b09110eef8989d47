package normalise

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// JSON returns a canonical form of JSON: members sorted by name, no white space, numbers in one
// form. Values that Text ignores are replaced in strings and in members whose names denote a time.
// It returns false if the text is not JSON.
func (n *Normaliser) JSON(text string, kind Kind) (string, bool) {
	value, ok := Parse(text)
	if !ok {
		return "", false
	}
	return n.Value(value, kind), true
}

// Parse reads JSON, with numbers as json.Number.
func Parse(text string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.InputOffset() < int64(len(strings.TrimRight(text, " \t\r\n"))) {
		return nil, false
	}
	return value, true
}

// Value is JSON for a value of Parse.
func (n *Normaliser) Value(value any, kind Kind) string { return n.Member("", value, kind) }

// Member is Value for the value of an object's member.
func (n *Normaliser) Member(name string, value any, kind Kind) string {
	return string(n.appendValue(nil, name, value, kind))
}

func (n *Normaliser) appendValue(dst []byte, name string, value any, kind Kind) []byte {
	switch v := value.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(strconv.AppendQuote(dst, key), ':')
			dst = n.appendValue(dst, key, v[key], kind)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.appendValue(dst, name, e, kind)
		}
		return append(dst, ']')
	case string:
		return strconv.AppendQuote(dst, n.Text(v, kind))
	case json.Number:
		if n.Ignore {
			if rule := numberRule(name, v.String(), kind); rule != "" {
				return append(dst, n.count(rule)...)
			}
		}
		return append(dst, number(v.String())...)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

// exactDigits is the number of decimal digits that a float64 represents exactly.
const exactDigits = 15

// number returns the canonical form of a number: 1.0 and 1e0 become 1.
func number(text string) string {
	if len(text) > exactDigits {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// numberRule returns the rule that ignores a number of a member, "" for none.
func numberRule(name, value string, kind Kind) Rule {
	name = strings.ToLower(name)
	f, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || name == "":
	case isMoment(name) && (within(f, 1e9) || within(f, 1e12) || within(f, 1e15) || within(f, 1e18)):
		return Time
	case kind == Result && isDuration(name):
		return Duration
	}
	return ""
}

// within reports whether a number is a time from 2001 to 2033. unit is 10^9 s in the number's unit
// of time.
func within(f, unit float64) bool { return f >= unit && f < 2*unit }

func isMoment(name string) bool {
	for _, end := range []string{"time", "timestamp", "created", "updated", "expires", "date", "_at", "_ts", "_ms",
		"_ns"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return name == "ts" || strings.HasSuffix(name, "at") && strings.HasPrefix(name, "created")
}

func isDuration(name string) bool {
	for _, part := range []string{"duration", "elapsed", "latency", "took"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

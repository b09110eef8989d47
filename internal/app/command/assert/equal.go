package assert

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// decodeJSON decodes a value, with numbers as json.Number.
func decodeJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// equalJSON reports whether two values of decodeJSON are equal. Members of objects have no order.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, is := b.(json.Number)
		return is && equalNumbers(a, b)
	case []any:
		b, is := b.([]any)
		return is && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, is := b.(map[string]any)
		return is && maps.EqualFunc(a, b, equalJSON)
	}
	return a == b
}

// equalNumbers compares whole numbers by their digits, which a float64 would round above 2^53, and
// others as float64.
func equalNumbers(a, b json.Number) bool {
	if !strings.ContainsAny(a.String()+b.String(), ".eE") {
		return a == b
	}
	x, err := a.Float64()
	y, err2 := b.Float64()
	return err == nil && err2 == nil && x == y
}

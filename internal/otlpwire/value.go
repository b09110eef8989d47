package otlpwire

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Value is an AnyValue. The zero value is unset.
type Value struct {
	kind    kind
	text    string // of a string; of bytes, in base64
	num     uint64 // bits of an int, a double or a bool
	list    []Value
	members Attributes
}

type kind uint8

const (
	unset kind = iota
	textKind
	boolKind
	intKind
	doubleKind
	listKind
	mapKind
)

// Attributes are the attributes of a resource, an item or an event, in their order.
type Attributes []Attribute

// Attribute is a key with its value.
type Attribute struct {
	Key   string
	Value Value
}

// Get returns the first value with a key; ok is false without one.
func (a Attributes) Get(key string) (v Value, ok bool) {
	for i := range a {
		if a[i].Key == key {
			return a[i].Value, true
		}
	}
	return Value{}, false
}

// Text returns the first value, of several keys, that is not empty as a text.
func (a Attributes) Text(keys ...string) string {
	for _, key := range keys {
		if v, ok := a.Get(key); ok {
			if text := v.Text(); text != "" {
				return text
			}
		}
	}
	return ""
}

// Count returns the first value of several keys that is a whole number, not negative. Some SDKs
// send numbers as doubles or as texts.
func (a Attributes) Count(keys ...string) (n uint64, ok bool) {
	for _, key := range keys {
		if v, is := a.Get(key); is {
			if n, ok = v.Count(); ok {
				return n, true
			}
		}
	}
	return 0, false
}

// Text returns a string as it is, and any other value as JSON; "" for an unset value.
func (v Value) Text() string {
	switch v.kind {
	case unset:
		return ""
	case textKind:
		return v.text
	}
	return string(v.AppendJSON(nil))
}

// List returns the elements of an array.
func (v Value) List() []Value { return v.list }

// Members returns the members of a key-value list.
func (v Value) Members() Attributes { return v.members }

// Count returns the value as a whole number; ok is false for a negative number and for anything
// else.
func (v Value) Count() (n uint64, ok bool) {
	switch v.kind {
	case intKind:
		return v.num, int64(v.num) >= 0
	case doubleKind:
		f := math.Float64frombits(v.num)
		return uint64(f), f >= 0 && f < 1<<53 && f == math.Trunc(f)
	case textKind:
		n, err := strconv.ParseUint(strings.TrimSpace(v.text), 10, 63)
		return n, err == nil
	}
	return 0, false
}

// Float returns the value as a number, also of a text; ok is false for anything else.
func (v Value) Float() (f float64, ok bool) {
	switch v.kind {
	case intKind:
		return float64(int64(v.num)), true
	case doubleKind:
		f = math.Float64frombits(v.num)
	case textKind:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(v.text), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// IsFalse reports whether the value is false, also as a text.
func (v Value) IsFalse() bool {
	return v.kind == boolKind && v.num == 0 || v.kind == textKind && strings.EqualFold(v.text, "false")
}

// AppendJSON appends the value as JSON. Numbers that JSON does not have become null.
func (v Value) AppendJSON(to []byte) []byte {
	switch v.kind {
	case textKind:
		return appendText(to, v.text)
	case boolKind:
		return strconv.AppendBool(to, v.num == 1)
	case intKind:
		return strconv.AppendInt(to, int64(v.num), 10)
	case doubleKind:
		f := math.Float64frombits(v.num)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(to, "null"...)
		}
		return strconv.AppendFloat(to, f, 'g', -1, 64)
	case listKind:
		to = append(to, '[')
		for i := range v.list {
			if i > 0 {
				to = append(to, ',')
			}
			to = v.list[i].AppendJSON(to)
		}
		return append(to, ']')
	case mapKind:
		return v.members.AppendJSON(to)
	}
	return append(to, "null"...)
}

// AppendJSON appends the attributes as a JSON object.
func (a Attributes) AppendJSON(to []byte) []byte {
	to = append(to, '{')
	for i := range a {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendText(to, a[i].Key), ':')
		to = a[i].Value.AppendJSON(to)
	}
	return append(to, '}')
}

func appendText(to []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string never fails
	return append(to, quoted...)
}

func bytesValue(b []byte) Value {
	return Value{kind: textKind, text: base64.StdEncoding.EncodeToString(b)}
}

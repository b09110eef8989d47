package dialect

import (
	"math"
	"strconv"
	"time"

	"github.com/valyala/fastjson"
)

// RawNull reports whether a JSON value is missing or null.
func RawNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// IsNumber reports whether a value exists and is a number.
func IsNumber(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeNumber }

// TextTime reads a time in RFC 3339, ns. It returns 0 for any other text. It returns
// math.MaxInt64 for years beyond the range of nanoseconds, so that a frame clock counts the frame
// as misdated.
func TextTime(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	at, err := time.Parse(time.RFC3339Nano, Alias(text))
	switch {
	case err != nil || at.Year() < 1971:
		return 0
	case at.Year() > 2261:
		return math.MaxInt64
	}
	return at.UnixNano()
}

// Milliseconds converts milliseconds to nanoseconds. It returns 0 for a number that is not a
// time.
func Milliseconds(ms uint64) int64 {
	if ms > 1<<42 {
		return 0
	}
	return int64(ms) * 1e6
}

// List builds a JSON array. The zero value has no elements.
type List []byte

// Add adds an element, which is JSON.
func (l *List) Add(element []byte) {
	if len(*l) == 0 {
		*l = append(*l, '[')
	} else {
		*l = append(*l, ',')
	}
	*l = append(*l, element...)
}

// AddText adds a text.
func (l *List) AddText(text []byte) { l.Add(strconv.AppendQuote(nil, Alias(text))) }

// JSON returns the array, or nil without elements. It does not alias the list.
func (l List) JSON() []byte {
	if len(l) == 0 {
		return nil
	}
	return append(l[:len(l):len(l)], ']')
}

// FirstNonEmpty returns text, or other if text is empty.
func FirstNonEmpty(text, other []byte) []byte {
	if len(text) > 0 {
		return text
	}
	return other
}

// AppendRecent appends an element to a list of at most limit elements. It drops the oldest
// element to make room.
func AppendRecent[T any](list []T, element T, limit int) []T {
	if len(list) >= limit {
		copy(list, list[1:])
		list = list[:len(list)-1]
	}
	return append(list, element)
}

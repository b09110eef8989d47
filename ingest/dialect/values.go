package dialect

import (
	"math"
	"strings"

	"github.com/valyala/fastjson"
)

// Uint reads a count the way sources really write it: a number, also one with
// a fraction of zero, or a number in quotes. Everything else (null, negative,
// text, missing) is no count.
func Uint(v *fastjson.Value) (n uint64, ok bool) {
	if v == nil {
		return 0, false
	}
	switch v.Type() {
	case fastjson.TypeNumber:
		if n = v.GetUint64(); n != 0 {
			return n, true
		}
		return wholeNumber(v.GetFloat64())
	case fastjson.TypeString:
		text := strings.TrimSpace(Alias(v.GetStringBytes()))
		if text == "" || len(text) > 32 {
			return 0, false
		}
		for i := range len(text) {
			if text[i] < '0' || text[i] > '9' || n > (math.MaxUint64-9)/10 {
				return 0, false
			}
			n = n*10 + uint64(text[i]-'0')
		}
		return n, true
	}
	return 0, false
}

func wholeNumber(x float64) (uint64, bool) {
	if x < 0 || x >= 1<<64 || x != math.Trunc(x) {
		return 0, false
	}
	return uint64(x), true
}

// True reports whether a value says yes: true, a number other than 0, or
// "true" in quotes.
func True(v *fastjson.Value) bool {
	if v == nil {
		return false
	}
	switch v.Type() {
	case fastjson.TypeTrue:
		return true
	case fastjson.TypeNumber:
		return v.GetFloat64() != 0
	case fastjson.TypeString:
		return strings.EqualFold(Alias(v.GetStringBytes()), "true")
	}
	return false
}

// Last owns the latest of a series of texts, so that a value which repeats
// from frame to frame is copied once.
type Last string

// lastLimit is the length from which on a text is not kept, bytes.
const lastLimit = 512

// Own gives a copy of text: the one made last where it is the same.
func (l *Last) Own(text []byte) string {
	if len(text) == 0 {
		return "" // the latest stays known: members come and go
	}
	if string(*l) == string(text) {
		return string(*l)
	}
	own := string(text)
	if len(own) <= lastLimit {
		*l = Last(own)
	}
	return own
}

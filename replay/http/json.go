package replayhttp

import (
	"strconv"
	"time"
)

// appendMillis appends a duration in ns as milliseconds, with as many
// decimals as necessary.
func appendMillis(dst []byte, ns int64) []byte {
	if ns < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = strconv.AppendInt(dst, ns/1e6, 10)
	rest := ns % 1e6
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(1e5); rest > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit))
		rest %= unit
	}
	return dst
}

// stamp formats times and caches the text of the second that it formatted last.
type stamp struct {
	second int64
	text   []byte // "2006-01-02T15:04:05."
}

// append appends a time in RFC 3339 with nanoseconds.
func (s *stamp) append(dst []byte, ns int64) []byte {
	second, rest := ns/1e9, ns%1e9
	if rest < 0 {
		second, rest = second-1, rest+1e9
	}
	if s.text == nil || second != s.second {
		s.second = second
		s.text = time.Unix(second, 0).UTC().AppendFormat(s.text[:0], "2006-01-02T15:04:05.")
	}
	dst = append(dst, s.text...)
	for unit := int64(1e8); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+rest/unit%10))
	}
	return append(dst, 'Z')
}

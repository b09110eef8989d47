package replayhttp

import (
	"strconv"
	"time"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, since JSON cannot represent them.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, "\ufffd"...)
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

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

// stamp formats times, keeping the second it formatted last.
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

package dialect

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a JSON string in valid JSON. Without escapes the text aliases raw.
// Otherwise Unquote appends the text to buf and returns the grown buffer, which the caller passes
// to the next call; earlier texts stay valid. The text is nil if raw is not a string, and empty but
// not nil for an empty string. Half a surrogate pair becomes U+FFFD.
func Unquote(raw, buf []byte) (text, grown []byte) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, buf
	}
	raw = inner(raw)
	n := bytes.IndexByte(raw, '\\')
	if n < 0 {
		return raw, buf
	}
	start := len(buf)
	buf = slices.Grow(buf, len(raw))
	for n >= 0 {
		buf = append(buf, raw[:n]...)
		buf, raw = unescape(buf, raw[n:])
		n = bytes.IndexByte(raw, '\\')
	}
	buf = append(buf, raw...)
	return buf[start:len(buf):len(buf)], buf
}

// unescape appends the character of the escape at the beginning of raw, and returns the rest of
// raw.
func unescape(buf, raw []byte) (grown, rest []byte) {
	if len(raw) < 2 {
		return buf, nil
	}
	c, rest := raw[1], raw[2:]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r := hex4(rest)
		rest = rest[min(4, len(rest)):]
		if utf16.IsSurrogate(r) {
			low := utf8.RuneError
			if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
				low = hex4(rest[2:])
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				rest = rest[6:]
			}
		}
		return utf8.AppendRune(buf, r), rest
	}
	return append(buf, c), rest
}

func hex4(text []byte) rune {
	if len(text) < 4 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(Alias(text[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// RawUint reads a count in the forms that sources write: a number, also with a fraction of zero,
// or a number in quotes. Everything else (null, negative, text, missing) is not a count.
func RawUint(raw []byte) (n uint64, ok bool) {
	digits := raw
	if len(raw) > 1 && raw[0] == '"' {
		digits = bytes.TrimSpace(inner(raw))
	}
	if len(digits) == 0 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' || n > (math.MaxUint64-9)/10 {
			return wholeNumber(raw)
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// wholeNumber reads a number that has characters other than digits.
func wholeNumber(raw []byte) (uint64, bool) {
	if len(raw) == 0 || raw[0] == '"' || len(raw) > 64 {
		return 0, false
	}
	x, err := strconv.ParseFloat(Alias(raw), 64)
	if err != nil || !(x >= 0 && x < 1<<64) || x != math.Trunc(x) {
		return 0, false
	}
	return uint64(x), true
}

// RawTrue reports whether a value is true, a number other than 0, or "true" in quotes.
func RawTrue(raw []byte) bool {
	switch {
	case len(raw) == 0:
		return false
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		x, err := strconv.ParseFloat(Alias(raw), 64)
		return err == nil && x != 0
	case raw[0] == '"':
		return bytes.EqualFold(inner(raw), []byte("true"))
	}
	return string(raw) == "true"
}

// Package jsonstring writes JSON strings (RFC 8259, section 7) and finds their ends, for code that
// writes or reads JSON without building values.
package jsonstring

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// Append appends s as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD, since JSON
// cannot represent them.
func Append(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0 // all bytes before it are appended
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

// End returns the index of the quote that ends the JSON string whose content begins at raw[i], the
// byte after its opening quote. It returns len(raw) if the string does not end.
func End(raw []byte, i int) int {
	const near = 32 // most strings end within so many bytes, for which this loop is faster than a search
	for end := min(i+near, len(raw)); i < end; {
		if i+8 > len(raw) {
			if raw[i] == '"' {
				return i
			}
			if raw[i] == '\\' {
				i++
			}
			i++
			continue
		}
		// Find the first quote or backslash in eight bytes: the lowest zero byte of the word XOR
		// the character in each byte. A borrow can mark higher bytes wrongly, but never the lowest
		// one.
		const ones, highs = 0x0101010101010101, 0x8080808080808080
		v := binary.LittleEndian.Uint64(raw[i:])
		quote, escape := v^ones*'"', v^ones*'\\'
		found := ((quote-ones)&^quote | (escape-ones)&^escape) & highs
		if found == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(found) / 8; raw[i] == '"' {
			return i
		}
		i += 2
	}
	if i >= len(raw) {
		return len(raw)
	}
	for {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return len(raw)
		}
		i += n
		escapes := 0
		for j := i - 1; j >= 0 && raw[j] == '\\'; j-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
		i++
	}
}

package redact

import "bytes"

// endsEscape reports whether the last byte of a text, a letter or digit, ends an escape sequence,
// and so is not part of the word that follows it. The sequence is a percent-encoded byte, a JSON
// escape, which may itself be escaped, or a terminal colour sequence.
func endsEscape(text []byte) bool {
	n := len(text)
	if n < 2 {
		return false
	}
	c := text[n-1]
	if text[n-2] == '\\' {
		return bytes.IndexByte([]byte("abfnrtv0e"), c) >= 0
	}
	if n >= 3 && isHex(c) && isHex(text[n-2]) {
		if text[n-3] == '%' || n >= 4 && text[n-4] == '\\' && text[n-3] == 'x' {
			return true
		}
		if n >= 6 && text[n-6] == '\\' && text[n-5] == 'u' && isHex(text[n-4]) && isHex(text[n-3]) {
			return true
		}
	}
	return endsControl(text)
}

// endsControl reports whether a text ends with a terminal control sequence (ECMA-48, section 5.4).
// The ESC of the sequence may be escaped.
func endsControl(text []byte) bool {
	const most = 24 // bytes; a colour has fewer parameters
	i := len(text) - 2
	for end := max(i-most, 0); i > end && (text[i] >= '0' && text[i] <= '9' || text[i] == ';' || text[i] == ':'); {
		i--
	}
	if i < 1 || text[i] != '[' {
		return false
	}
	before := text[:i]
	if before[i-1] == 0x1b {
		return true
	}
	for _, escape := range []string{`\u001b`, `\u001B`, `\x1b`, `\x1B`, `\033`, `\e`} {
		if bytes.HasSuffix(before, []byte(escape)) {
			return true
		}
	}
	return false
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

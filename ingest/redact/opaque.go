package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// The format of a value decides whether a member or variable with the name of a secret holds a
// secret.
var (
	uuid  = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	wordy = regexp.MustCompile(
		`^(?:(?:[A-Z]{0,4}[a-z]{0,12}[aeiouyAEIOUY][a-z]{1,12}|[a-z]{2,12}[aeiouy]|[A-Z]{2,6}){0,8}` +
			`[0-9]{0,4}){1,3}[a-z]{0,2}$|^[0-9]+$`,
	)
	expression = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|::|->)[A-Za-z_$][A-Za-z0-9_$]*)+$`)
	path       = regexp.MustCompile(`^(?:\.{0,2}|~)/[A-Za-z.]+(?:/|$)|^[A-Za-z]:[/\\]`)
	variable   = regexp.MustCompile(`^(?:[$!@][A-Za-z_{(]|%[A-Za-z_]+%|\{)`)
	kindName   = regexp.MustCompile(
		`^(?i:u?int|float|sha|md|base|utf-?|argon|pbkdf|oauth|x|http|v|ed|aes|rsa|hs|rs|es|s)-?[0-9]+[a-z]{0,3}$`,
	)
	reference = regexp.MustCompile(`^(?i:arn|env|file|vault|ssm|op|secret|ref):`)
)

// opaque reports whether a value looks random: it has at least 16 letters and digits, and does not
// consist of words, numbers and versions.
func opaque(value []byte) bool {
	if uuid.Match(value) {
		return true
	}
	letters, digits, runs, turns, small := 0, 0, 0, 0, 0
	last := byte(0)
	for _, c := range value {
		kind := byte(0)
		switch {
		case c >= '0' && c <= '9':
			kind = 'd'
			if digits++; last != 'd' {
				runs++
			}
		case c >= 'A' && c <= 'Z':
			kind = 'u'
			letters++
		case c >= 'a' && c <= 'z':
			kind = 'l'
			letters++
			small++
		}
		// A word may begin with a capital letter.
		if kind != 0 && last != 0 &&
			(kind != last && (last != 'u' || kind == 'd') || kind == 'u' && last == 'u') {
			turns++
		}
		last = kind
	}
	n := letters + digits
	switch {
	case n < 16 || letters < 2:
		return false
	case digits == 0 && (small == 0 || small == letters || turns*3 < n), runs < 2 && turns*7 < 2*n:
		return false
	}
	return slices.ContainsFunc(segments(value), func(s []byte) bool { return !wordy.Match(s) })
}

// segments returns the maximal runs of letters and digits in a value.
func segments(value []byte) [][]byte {
	return bytes.FieldsFunc(value, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	})
}

// isPlaceholder reports whether a value refers to a secret that is stored elsewhere, or is a
// placeholder that a reader is to replace.
func isPlaceholder(value []byte) bool {
	if path.Match(value) || variable.Match(value) || kindName.Match(value) || reference.Match(value) ||
		bytes.Contains(value, []byte("://")) {
		return true
	}
	if expression.Match(value) && !slices.ContainsFunc(segments(value), func(s []byte) bool { return !wordy.Match(s) }) {
		return true
	}
	text := strings.ToLower(string(value))
	if slices.ContainsFunc(placeholders, func(p string) bool { return text == p }) || strings.Trim(text, text[:1]) == "" {
		return true
	}
	for _, begin := range []string{
		"your", "change", "replace", "insert", "todo", "example", "undefined", "process.", "os.", "self.", "this.",
	} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	for _, part := range []string{maskBegin, "xxxx", "****", "....", "placeholder", "your-", "your_", "-here", "_here"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// withDigit reports whether a value has at least six bytes, a letter and a digit, and is neither an
// expression nor a placeholder.
func withDigit(value []byte) bool {
	letter := bytes.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return len(value) >= 6 && letter && bytes.ContainsAny(value, "0123456789") && !isPlaceholder(value)
}

// mixed reports whether a value consists of letters and digits and has both capital and small
// letters.
func mixed(value []byte) bool {
	small := bytes.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' })
	capital := bytes.ContainsFunc(value, func(r rune) bool { return r >= 'A' && r <= 'Z' })
	return small && capital && len(segments(value)) == 1
}

// keyLike reports whether the text after a key's prefix may be a key rather than words: it is
// opaque, or has capital letters, small letters and a digit.
func keyLike(secret []byte) bool {
	return opaque(secret) || bytes.ContainsAny(secret, "0123456789") && mixed(bytes.Join(segments(secret), nil))
}

// userPassword reports whether the password of a user looks like a password, and not like the name
// or number of a group.
func userPassword(value []byte) bool { return withDigit(value) || len(value) >= 16 && mixed(value) }

// isLiteral reports whether a value is neither a reference to a secret nor a placeholder: see
// isPlaceholder.
func isLiteral(value []byte) bool { return !isPlaceholder(value) }

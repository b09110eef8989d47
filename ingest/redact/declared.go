package redact

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Declared is a secret whose value is known, such as the value of an environment variable.
type Declared struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// declaredLeast is the minimum length of a value that can be declared, bytes. A shorter value also
// occurs in texts by chance.
const declaredLeast = 6

var notID = regexp.MustCompile(`[^a-z0-9]+`)

// rules returns the rules for the value in plain form, in URLs and in base64.
func (d Declared) rules() ([]*rule, error) {
	if len(d.Value) < declaredLeast {
		return nil, fmt.Errorf(
			"the value of %s has %d bytes: a value to mask has at least %d", d.Name, len(d.Value), declaredLeast,
		)
	}
	id := strings.Trim(notID.ReplaceAllString(strings.ToLower(d.Name), "-"), "-")
	if id == "" {
		id = "declared"
	}
	seen := map[string]bool{}
	var rules []*rule
	for _, form := range slices.Concat([]string{d.Value}, inURLs(d.Value), inBase64(d.Value)) {
		if seen[form] || len(form) < declaredLeast {
			continue
		}
		seen[form] = true
		r := &Rule{ID: id, Keywords: []string{form[:1]}, Pattern: bytesPattern(form[1:]), Before: anything, After: "-"}
		c, err := r.compile()
		if err != nil {
			return nil, fmt.Errorf("the value of %s: %w", d.Name, err)
		}
		c.declared = form
		rules = append(rules, c)
	}
	return rules, nil
}

// unescaped are the sets of characters, besides letters and digits, that encoders do not escape in
// URLs: RFC 3986 and Go's QueryEscape, encodeURIComponent, Python's quote, forms (URLSearchParams,
// Java), and encodeURI.
var unescaped = []string{"-._~", "-._~!'()*", "-._~/", "-._*", "-._~!'()*;/?:@&=+$,#"}

// inURLs returns the value in the forms in which encoders write it in URLs. Encoders differ in the
// characters that they escape, in the case of hexadecimal digits, and in the encoding of a space.
func inURLs(value string) []string {
	forms := []string{url.PathEscape(value)}
	for _, keep := range unescaped {
		for _, digits := range []string{"0123456789ABCDEF", "0123456789abcdef"} {
			for _, space := range []string{"%20", "+"} {
				var b strings.Builder
				for _, c := range []byte(value) {
					switch {
					case c == ' ':
						b.WriteString(space)
					case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte(keep, c) >= 0:
						b.WriteByte(c)
					default:
						b.Write([]byte{'%', digits[c>>4], digits[c&15]})
					}
				}
				forms = append(forms, b.String())
			}
		}
	}
	return forms
}

// bytesPattern returns a pattern that matches s. Each byte beyond ASCII matches any byte beyond
// ASCII.
func bytesPattern(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] >= 0x80 {
			b.WriteString(`\x{fffd}`)
		} else {
			b.WriteString(regexp.QuoteMeta(s[i : i+1]))
		}
	}
	return b.String()
}

// inBase64 returns three strings, one of which is contained in the base64 of any text that contains
// the value. There is one string for each offset of the value within a group of three bytes. The
// strings omit the characters at both ends that depend on neighbouring bytes.
func inBase64(value string) []string {
	var forms []string
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			text := alphabet.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
			first := []int{0, 2, 3}[offset]
			last := len(text)
			if (offset+len(value))%3 != 0 {
				last--
			}
			forms = append(forms, text[first:last])
		}
	}
	return forms
}

package redact

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Declared is a secret whose value is known: that of an environment variable.
type Declared struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// declaredLeast is the length of the shortest value that can be declared, bytes: a shorter
// one also occurs in texts by chance.
const declaredLeast = 6

var notID = regexp.MustCompile(`[^a-z0-9]+`)

// rules returns the rules for the value as it is, in URLs, and in base64.
func (d Declared) rules() ([]*rule, error) {
	if len(d.Value) < declaredLeast {
		return nil, fmt.Errorf("the value of %s has %d bytes: a value to mask has at least %d", d.Name, len(d.Value), declaredLeast)
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

// unescaped are the sets of characters, beside letters and digits, that encoders leave in URLs as they are:
// RFC 3986 and Go's QueryEscape, encodeURIComponent, Python's quote, forms (URLSearchParams, Java), and encodeURI.
var unescaped = []string{"-._~", "-._~!'()*", "-._~/", "-._*", "-._~!'()*;/?:@&=+$,#"}

// inURLs returns the value as encoders write it in URLs: they differ in what they escape, in the case of their
// digits and in what a space becomes.
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

// bytesPattern matches a text; bytes beyond ASCII match any of them.
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

// inBase64 returns the strings of which one is in the base64 of any text that contains the value: its
// bytes begin at one of three places of a group, and the characters at the ends that depend
// on the neighbours are left out.
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

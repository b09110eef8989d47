package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// credentials are the rules for secrets in standard formats, which are independent of any provider.
var credentials = []Rule{
	{ID: "private-key", Keywords: []string{"-----BEGIN "}, Open: true, After: "-", Before: anything,
		Pattern: `(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.()-]*?-----END [A-Z0-9 ]{0,40}-----`,
		Source:  "https://www.rfc-editor.org/rfc/rfc7468",
		Example: "-----BEGIN ~RSA PRIVATE KEY-----\n{64}\n{64}\n-----END RSA PRIVATE KEY-----",
		Near:    "-----BEGIN ~PUBLIC KEY-----\n{64}\n-----END PUBLIC KEY-----"},
	{ID: "jwt", Keywords: []string{"eyJ"}, Weak: true, After: "A-Za-z0-9_-",
		Pattern: `[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{16,}`,
		Source:  "https://www.rfc-editor.org/rfc/rfc7519", Example: "ey~J{30}.ey~J{60}.{43}", Near: "ey~J{30}.ey~J{60}"},
	{ID: "authorization", Weak: true, After: `A-Za-z0-9._~+/=-`,
		Keywords: []string{
			"Bearer ", "bearer ", "BEARER ", "Authorization: Basic ", "authorization: Basic ", "authorization: basic ",
			"Authorization: Token ", "authorization: token ",
		},
		Pattern: `([A-Za-z0-9._~+/-]{16,}={0,2})`, Check: random,
		Source:  "https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2",
		Example: "Authorization: ~Bearer ~{40}", Near: "Authorization: ~Bearer ~token"},
	{ID: "basic-authorization", Keywords: []string{"Basic "}, Weak: true, After: `A-Za-z0-9+/_=-`,
		Pattern: `([A-Za-z0-9+/_-]{8,}={0,2})`, Check: isUserAndPassword,
		Source:  "https://www.rfc-editor.org/rfc/rfc7617#section-2",
		Example: "~Basic ~dXNlcjo{33}", Near: "~Basic ~dXNlcm5hbWUtYWxvbmUtMTIz"},
	{
		ID: "api-key-header",
		Keywords: []string{
			"x-api-key: ", "X-Api-Key: ", "X-API-Key: ", "x-goog-api-key: ", "X-Goog-Api-Key: ", "api-key: ", "Api-Key: ",
			"Ocp-Apim-Subscription-Key: ",
		},
		Weak:    true,
		After:   "A-Za-z0-9_.~+/=-",
		Pattern: `([A-Za-z0-9_.~+/=-]{16,})`,
		Before:  " \t\r\n\"'x-X",
		Source:  "https://docs.anthropic.com/en/api/overview",
		Example: "x-api-key: ~{32}",
		Near:    "x-api-key: ~secret",
	},
	{ID: "url-password", Keywords: []string{"://"}, Weak: true, After: "-", Before: anything,
		Pattern: `[A-Za-z0-9._~%!$&*+,;=-]{0,64}:([A-Za-z0-9._~%!$&*+,;=-]{3,256})@[A-Za-z0-9\[]`,
		Check:   notPlaceholder, Source: "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
		Example: "postgres://app:~{20}@db.internal:5432/x", Near: "http://localhost:8080/a@b"},
	{ID: parameterID, Keywords: parameters, Weak: true, Before: anything, After: `A-Za-z0-9._~%+/=-`,
		Pattern: `([A-Za-z0-9._~%+/=-]{8,})`, Judge: parameterSecret, Source: "https://www.rfc-editor.org/rfc/rfc6750#section-2.3",
		Example: "https://host/p?a=1&key=~{36}&b=2", Near: "https://host/p?key=documentation-of-words"},
}

// anything holds all bytes. A rule with it as Before finds its keyword after any byte and at the
// beginning of a text.
var anything = func() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}()

// random reports whether a text looks random rather than made of words: it is opaque, or has
// letters and at least two digits.
func random(secret []byte) bool {
	digits, letters := 0, 0
	for _, c := range secret {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			letters++
		}
	}
	return digits >= 2 && letters >= 2 || opaque(secret)
}

// isUserAndPassword reports whether a text is the base64 of a printable name, a colon and a
// password.
func isUserAndPassword(secret []byte) bool {
	text := strings.TrimRight(string(secret), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		plain, err := encoding.DecodeString(text)
		name, password, both := strings.Cut(string(plain), ":")
		if err == nil && both && name != "" && password != "" && utf8.ValidString(name) &&
			!strings.ContainsFunc(name, unicode.IsControl) {
			return true
		}
	}
	return false
}

// placeholders are the words that documentation uses in place of passwords.
var placeholders = []string{"password", "pass", "pwd", "passwd", "secret", "xxx", "***", "redacted"}

func notPlaceholder(secret []byte) bool {
	return !slices.Contains(placeholders, strings.ToLower(string(secret)))
}

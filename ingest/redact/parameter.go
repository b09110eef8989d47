package redact

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// parameterID is the name of the rule of URL parameters.
const parameterID = "url-parameter"

// beforeParameter are the texts before the name of a URL parameter. "u0026" is "&" in JSON in JSON,
// "&amp;" is "&" in HTML.
var beforeParameter = []string{"?", "&amp;", "&", ";", "#", "u0026"}

// parameters are the names of URL parameters that hold secrets, each with the text before it.
var parameters = func() (all []string) {
	for name := range strings.FieldsSeq("api_key apikey apiKey api-key access_token accessToken auth_token authToken " +
		"refresh_token refreshToken id_token idToken client_secret clientSecret " +
		"X-Amz-Signature X-Goog-Signature X-Amz-Security-Token sig signature key code token secret password") {
		for _, before := range beforeParameter {
			all = append(all, before+name+"=")
		}
	}
	return all
}()

// ambiguous are the parameters that have other uses besides secrets.
var ambiguous = []string{"key", "code"}

// parameterLong is the minimum length, in bytes, of a value that is a secret if it looks random.
const parameterLong = 16

// parameterSecret reports whether the value of a URL parameter is a secret. The value is bytes
// [from, to) of text, which begins with the name of the parameter and the text before it, of key
// bytes.
func parameterSecret(text []byte, key, from, to int) bool {
	value, name := text[from:to], string(text[:key-len("=")])
	for _, before := range beforeParameter {
		if rest, ok := strings.CutPrefix(name, before); ok {
			name = rest
			break
		}
	}
	if len(value) >= parameterLong && name != "code" {
		return random(value)
	}
	plain, err := url.PathUnescape(string(value))
	value = []byte(plain)
	switch {
	case err != nil, len(value) == 0, isPlaceholder(value),
		text[0] == ';', value[0] == '=', to < len(text) && bytes.IndexByte(inCode, text[to]) >= 0:
		return false
	case slices.Contains(ambiguous, name):
		return random(value) && !bytes.ContainsAny(value, "./") && !allMatch(wordy, value)
	}
	return (bytes.ContainsAny(value, "0123456789") || mixed(value)) && !(allMatch(wordy, value) && allMatch(plainWord, value))
}

// inCode are the bytes that follow a value that is an expression in source code.
var inCode = []byte("([{$<")

// plainWord matches words in one of the usual capitalisations, with or without a number after them,
// and numbers.
var plainWord = regexp.MustCompile(`^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}){0,6}[0-9]{0,4}$|^[0-9]+$`)

// allMatch reports whether all runs of letters and digits in a value match a pattern.
func allMatch(pattern *regexp.Regexp, value []byte) bool {
	return !slices.ContainsFunc(segments(value), func(s []byte) bool { return !pattern.Match(s) })
}

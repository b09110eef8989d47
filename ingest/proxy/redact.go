package proxy

import (
	"net/http"
	"net/url"
	"strings"
)

// Redaction lists whose values are not recorded; case does not matter.
type Redaction struct {
	Headers []string // header fields
	Query   []string // query parameters, also of URLs in header fields
}

// DefaultRedaction lists where secrets commonly are. The caller may add to it.
func DefaultRedaction() *Redaction {
	return &Redaction{
		Headers: []string{
			"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
			"X-Auth-Token", "X-Access-Token", "X-Csrf-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
		},
		Query: []string{
			"key", "api_key", "api-key", "apikey", "access_token", "refresh_token", "id_token", "token", "auth",
			"secret", "client_secret", "password", "sig", "signature",
			"x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-credential", "x-goog-signature",
		},
	}
}

const redacted = "[redacted]"

// redactor redacts heads.
type redactor struct {
	headers map[string]bool // by canonical name
	query   map[string]bool // by name in lower case
}

func newRedactor(r *Redaction) *redactor {
	x := &redactor{headers: map[string]bool{}, query: map[string]bool{}}
	for _, name := range r.Headers {
		x.headers[http.CanonicalHeaderKey(name)] = true
	}
	for _, name := range r.Query {
		x.query[strings.ToLower(name)] = true
	}
	return x
}

// urlFields are header fields that hold a URL, whose query may hold a secret.
var urlFields = map[string]bool{"Location": true, "Content-Location": true, "Referer": true}

// keyProtocols are WebSocket subprotocols that carry a key after their name:
// what browsers do, which cannot set header fields there.
var keyProtocols = []string{"openai-insecure-api-key.", "base64url.bearer.authorization.k8s.io."}

// value gives a header field's value as it is recorded.
func (x *redactor) value(name, value string) string {
	switch {
	case x.headers[name]:
		return redacted
	case urlFields[name]:
		return x.target(value)
	case name == "Sec-Websocket-Protocol":
		return hideKeys(value)
	}
	return value
}

func hideKeys(list string) string {
	items := strings.Split(list, ",")
	for i, item := range items {
		for _, prefix := range keyProtocols {
			if at := strings.Index(item, prefix); at >= 0 {
				items[i] = item[:at+len(prefix)] + redacted
			}
		}
	}
	return strings.Join(items, ",")
}

// target redacts the query and the fragment of a request target or a URL, and
// leaves all else as it is.
func (x *redactor) target(s string) string {
	path, rest, ok := strings.Cut(s, "?")
	if !ok {
		path, rest, ok = strings.Cut(s, "#") // as an implicit OAuth grant has it
		if !ok {
			return s
		}
		return path + "#" + x.parameters(rest)
	}
	query, fragment, hasFragment := strings.Cut(rest, "#")
	s = path + "?" + x.parameters(query)
	if hasFragment {
		s += "#" + x.parameters(fragment)
	}
	return s
}

func (x *redactor) parameters(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, _, ok := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && ok && x.query[strings.ToLower(plain)] {
			pairs[i] = name + "=" + redacted
		}
	}
	return strings.Join(pairs, "&")
}

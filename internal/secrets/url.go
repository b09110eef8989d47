package secrets

import (
	"strings"
)

// URL returns a URL, which may be invalid, for output and logs: without user information, and
// without query and fragment, which may contain a token.
func URL(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	host, path, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return address
	}
	if user, _, has := strings.Cut(host[:at], ":"); has {
		host = user + ":xxxxx" + host[at:]
	}
	if path != "" || strings.HasSuffix(rest, "/") {
		host += "/" + path
	}
	return scheme + host
}

package secrets

import (
	"strings"
)

// URL returns a URL, which may be invalid, for output and logs: without its password, or a user that
// is a token, and without query and fragment, which may contain a token.
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
	switch user, _, has := strings.Cut(host[:at], ":"); {
	case isToken(user) && has:
		host = "xxxxx:xxxxx" + host[at:]
	case isToken(user):
		host = "xxxxx" + host[at:]
	case has:
		host = user + ":xxxxx" + host[at:]
	}
	if path != "" || strings.HasSuffix(rest, "/") {
		host += "/" + path
	}
	return scheme + host
}

// isToken reports whether a user is a token, with which some services replace a name and a password: it has
// sixteen characters and a digit.
func isToken(user string) bool {
	return len(user) >= 16 && strings.ContainsAny(user, "0123456789") && !strings.ContainsAny(user, ".@")
}

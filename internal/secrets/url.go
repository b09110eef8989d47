package secrets

import (
	"strings"
)

// URL returns a URL, which may be invalid, in a form for output and logs. It removes the password,
// a user that is a token, the query and the fragment, since each may contain a secret.
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

// isToken reports whether the user in a URL is a token, which some services use instead of a name
// and a password: it has at least sixteen characters and a digit.
func isToken(user string) bool {
	return len(user) >= 16 && strings.ContainsAny(user, "0123456789") && !strings.ContainsAny(user, ".@")
}

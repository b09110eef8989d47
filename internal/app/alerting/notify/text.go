package notify

import (
	"net/url"
	"strings"
)

// Bounds of recorded texts in a message to a person, bytes.
const (
	MostDetail = 2000
	MostName   = 100
)

// Clip returns a text as valid UTF-8, clipped to a number of bytes.
func Clip(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// SessionPage returns the address of a session's page on a server; "" if the server's address is "".
func SessionPage(server, session string) string {
	if server == "" {
		return ""
	}
	return strings.TrimSuffix(server, "/") + "/sessions/" + url.PathEscape(session)
}

package login

import (
	"net/http"
	"strings"
	"time"

	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
)

// If browsers call the server by https, cookie names have the prefix __Host-. Browsers accept such
// a cookie only from this host by https, and send it to no other host. On loopback the server is
// called by plain HTTP.
const (
	cookieName   = "tapedeck"
	flowCookie   = "tapedeck-login" // binds a login in progress to the browser that began it
	securePrefix = "__Host-"
)

// cookie returns a cookie for the browser that sent a request.
func cookie(name, value string, secure bool, life time.Duration) *http.Cookie {
	if secure {
		name = securePrefix + name
	}
	c := &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second)}
	if life <= 0 {
		c.MaxAge = -1
	}
	return c
}

// valueOf returns the value of a cookie of a request. It accepts the name without __Host- only on
// loopback, since elsewhere another host could have set that cookie.
func valueOf(r *http.Request, name string) string {
	if c, err := r.Cookie(securePrefix + name); err == nil {
		return c.Value
	}
	if !origin.IsLoopback(r.Host) {
		return ""
	}
	if c, err := r.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

// clear removes a cookie with either name.
func clear(w http.ResponseWriter, name string, secure bool) {
	if secure {
		http.SetCookie(w, cookie(name, "", true, 0))
	}
	http.SetCookie(w, cookie(name, "", false, 0))
}

// plain returns a problem for a login over plain HTTP from outside loopback, where others could
// read the cookie; otherwise nil.
func (s *Settings) plain(r *http.Request) *problem.Problem {
	if s.byTLS(r) || origin.IsLoopback(r.Host) {
		return nil
	}
	return &problem.Problem{
		Title: "Logins need https", Status: http.StatusForbidden,
		Detail: "This server was called by plain HTTP, and others on the way could read the login.",
		Hint: "Call it by https; a server behind a proxy for TLS is started with --public-url. " +
			"On the server's own machine http://127.0.0.1 works as well.",
	}
}

// safeReturn returns the address to which a browser is sent after a login: path if it is a path of
// this server, otherwise "/".
func safeReturn(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || len(path) > 2000 ||
		strings.ContainsFunc(
			path,
			func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f },
		) || strings.HasPrefix(path, "/login") {
		return "/"
	}
	return path
}

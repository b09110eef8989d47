package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/origin"
	"tapedeck/internal/problem"
)

// servedHosts refuses requests that name another host. A page can make its own host name resolve to
// the server's address, but cannot make an address its own, so with tokens every address is served.
// A check of health may name no host, as HAProxy's of HTTP/1.0: a browser always names one.
func (s *Server) servedHosts(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if path := c.Request().URL.Path; c.Request().Host == "" && (path == "/healthz" || path == "/readyz") {
			return next(c)
		}
		hint := "This server has no tokens: call it as 127.0.0.1 or localhost."
		if s.Tokens != nil {
			if origin.IsAddress(c.Request().Host) {
				return next(c)
			}
			hint = "Call it by its address, or start it with --allow-host and this name."
		}
		if bad := origin.Hosts(s.Hosts).Check(c.Request(), hint); bad != nil {
			return bad
		}
		return next(c)
	}
}

// noForeignPages is middleware that refuses requests of other sites' pages on every route. Only the
// server's own pages may change something or open a WebSocket, and on a server with tokens also the
// pages of Origins, with a token. Without tokens the pages of Origins may do what pages on other
// loopback ports may: read, play and emulate recordings. Links may lead to pages.
func (s *Server) noForeignPages(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		rule := pagesThatMay(c)
		if s.Tokens != nil || rule.Local {
			rule.Also = s.Origins
		}
		if s.Logins != nil && s.Logins.Settings.Public != nil { // a proxy may change Host
			rule.Also = append([]string{s.Logins.Settings.Public.String()}, s.Origins...)
		}
		// The provider sends the browser to this address, and a link may begin a login.
		rule.Links = rule.Links || c.Path() == login.CallbackPath || c.Path() == login.StartPath
		if bad := rule.Check(c.Request(), "ask this of the server"); bad != nil {
			return bad
		}
		return next(c)
	}
}

// LocalPages refuses requests of other sites' pages to a recording on its own port, except links.
func LocalPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bad := origin.Hosts(nil).Check(r, "Call it as 127.0.0.1 or localhost.")
		if bad == nil {
			bad = origin.Rule{Local: true, Links: r.Header.Get("Upgrade") == ""}.Check(r, "ask this recording")
		}
		if bad != nil {
			problem.Write(w, bad)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// pagesThatMay returns the origin rule for a request.
func pagesThatMay(c echo.Context) origin.Rule {
	r, path := c.Request(), c.Path()
	read := (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Upgrade") == ""
	switch {
	case strings.HasPrefix(path, "/emulate/"), strings.HasPrefix(path, "/api/v0/executions/"), path == "/v1/sessions/:id/replay":
		return origin.Rule{Local: true, Links: read}
	case read:
		return origin.Rule{Local: true, Links: true}
	}
	return origin.Rule{}
}

// onlyEncrypted makes browsers use https only for the server's name (HSTS, RFC 6797), if they
// called it or its public address by https. The rule would apply to all ports of localhost, so it
// is not sent for loopback names; section 8.3 of the RFC excludes addresses.
func (s *Server) onlyEncrypted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if (r.TLS != nil || s.proxied(r)) && !origin.IsAddress(r.Host) && !origin.IsLoopback(r.Host) {
			c.Response().Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// proxied reports whether a request was made by the public address, which belongs to a proxy with
// TLS.
func (s *Server) proxied(r *http.Request) bool {
	if s.Logins == nil || s.Logins.Settings.Public == nil {
		return false
	}
	public := s.Logins.Settings.Public
	return public.Scheme == "https" && strings.EqualFold(r.Host, public.Host)
}

// identified sets the header by which commands recognise a tapedeck server.
func identified(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !strings.HasPrefix(c.Path(), "/emulate/") && !strings.HasPrefix(c.Path(), "/api/v0/") {
			c.Response().Header().Set(problem.ServerHeader, "1")
		}
		return next(c)
	}
}

// notStored sets Cache-Control: no-store unless the handler sets another value. An answer is for
// one principal, and a cache before the server does not distinguish principals.
func notStored(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !strings.HasPrefix(c.Path(), "/emulate/") {
			c.Response().Header().Set("Cache-Control", "no-store")
		}
		return next(c)
	}
}

// noSniffing makes browsers treat answers according to their Content-Type: frames are untrusted
// text. Emulated answers have rules of their own.
func noSniffing(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !strings.HasPrefix(c.Path(), "/emulate/") {
			c.Response().Header().Set("X-Content-Type-Options", "nosniff")
		}
		return next(c)
	}
}

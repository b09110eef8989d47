package server

import (
	"errors"
	"net"
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/login"
)

// loginRoutes adds the routes for logging in and out, and for tickets.
func (s *Server) loginRoutes(rt *routeTable) {
	rt.add([]row{
		{public, audit.None, getHead, "/v1/login", nil, only(plain(s.Logins.ServeState))},
		{public, audit.None, post, "/v1/login", nil, only(from(s.Logins.ServeLogin))},
		{public, audit.None, patch, "/v1/login", nil, only(from(s.Logins.ServeSelect))},
		{public, audit.None, del, "/v1/login", nil, only(from(s.Logins.ServeLogout))},
		{public, audit.None, get, login.StartPath, nil, only(from(s.Logins.ServeStart), "return")},
		// Providers add query parameters of their own.
		{public, audit.None, get, login.CallbackPath, nil, from(s.Logins.ServeCallback)},
		{anybody, audit.None, post, "/v1/tickets", nil, only(plain(s.serveTicket))},
	})
}

// from wraps a handler like plain, and sets the remote address to the address of a client behind
// trusted proxies.
func from(h http.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request().WithContext(c.Request().Context())
		r.RemoteAddr = net.JoinHostPort(c.RealIP(), "0")
		h(c.Response(), r)
		return nil
	}
}

// errOtherPath is the reason for refusing a ticket for another request.
var errOtherPath = errors.New("for another path")

// ticketRefusal returns the error for a ticket that could not be redeemed.
func ticketRefusal(err error) error {
	if errors.Is(err, access.ErrTaken) {
		return &access.Refusal{Reason: access.ErrTaken}
	}
	return err
}

// ticketText describes why a ticket is refused.
func ticketText(err error) string {
	switch {
	case errors.Is(err, errOtherPath):
		return "This ticket is for another path, and is used up now."
	case errors.Is(err, access.ErrTaken):
		return "This ticket was used, is older than 30 seconds, or is not of this server."
	}
	return "Who took this ticket may not use the server any more."
}

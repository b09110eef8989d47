package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/slow"
)

// bodyDeadline is middleware that ends the connection of a request whose body does not arrive in
// time, even if no handler reads it. Routes for bodies that may pause use withoutBodyDeadline. If a
// request is refused while its body of unknown length arrives, it is answered at once and its
// connection ends; otherwise net/http would read the rest of the body before it answers.
func (s *Server) bodyDeadline(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength == 0 {
			return next(c)
		}
		body := slow.Within(c.Response(), r, s.Slow.Body)
		if r.ContentLength < 0 && r.ProtoMajor == 1 {
			c.Response().Before(func() {
				if c.Response().Status >= http.StatusBadRequest && !body.Whole() {
					c.Response().Header().Set("Connection", "close")
				}
			})
		}
		c.Request().Body = body
		defer body.End()
		return next(c)
	}
}

// withoutBodyDeadline is middleware for recordings, which may pause for any time, and for requests
// of recorded applications.
func withoutBodyDeadline(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if body, ok := c.Request().Body.(*slow.Body); ok {
			body.Free()
		}
		return next(c)
	}
}

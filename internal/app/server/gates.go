package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/quota"
	"tapedeck/internal/slow"
)

// Gates bound what is open at a time, by tenant and in total. A nil gate bounds nothing.
type Gates struct {
	Streams     *quota.Gate // being recorded: bodies, WebSockets, requests of recorders, imports
	Replays     *quota.Gate // of what is stored, emulations among them
	Followers   *quota.Gate // of running sessions
	Exports     *quota.Gate // answers of any length: tapes, charges, bills, the audit log
	Comparisons *quota.Gate // of two sessions, which wait for a while
}

// register adds the gates to the metrics.
func (g *Gates) register(s *Server) {
	s.metrics.MustRegister(quota.Collector{g.Streams, g.Replays, g.Followers, g.Exports, g.Comparisons})
}

// through is middleware that counts a request at a gate until it ends.
func through(gate *quota.Gate, next echo.HandlerFunc) echo.HandlerFunc {
	return gated(func(*http.Request) *quota.Gate { return gate }, next)
}

// gated is through for the gate of a request, nil for none.
func gated(pick func(*http.Request) *quota.Gate, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		leave, err := pick(r).Enter(access.Tenant(r.Context()))
		if err != nil {
			return err
		}
		pass := &gatePass{leave: leave}
		defer pass.end()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), gateKey{}, pass)))
		return next(c)
	}
}

type gateKey struct{}

// gatePass is a request's place at a gate. A connection that outlives its request keeps it.
type gatePass struct {
	leave func()
	kept  bool
}

// keep returns what frees the place, which the end of the request does not do any more.
func (p *gatePass) keep() func() {
	if p == nil {
		return func() {}
	}
	p.kept = true
	return p.leave
}

func (p *gatePass) end() {
	if !p.kept {
		p.leave()
	}
}

// keepPlace keeps the place of a request at its gate.
func keepPlace(r *http.Request) func() {
	p, _ := r.Context().Value(gateKey{}).(*gatePass)
	return p.keep()
}

// replays returns the gate of a playback.
func (s *Server) replays(r *http.Request) *quota.Gate {
	switch r.URL.Query().Get("follow") {
	case "", "0", "false":
		return s.Gates.Replays
	}
	return s.Gates.Followers
}

// exports returns the gate of an answer that may be of any length, nil for a page.
func (s *Server) exports(r *http.Request) *quota.Gate {
	switch r.URL.Query().Get("format") {
	case "", "json":
		return nil
	}
	return s.Gates.Exports
}

// timely is middleware that ends the connection of a request whose body does not arrive in time,
// even if no handler reads it. Routes for bodies that may pause use free. A request that is refused while its body
// of unknown length arrives is answered at once, and its connection ends: net/http would read on before it answers.
func (s *Server) timely(next echo.HandlerFunc) echo.HandlerFunc {
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

// free is middleware for recordings, which pause for any time, and for what recorded applications send.
func free(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if body, ok := c.Request().Body.(*slow.Body); ok {
			body.Free()
		}
		return next(c)
	}
}

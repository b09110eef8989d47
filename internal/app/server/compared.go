package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/problem"
	"tapedeck/schema/lifecycle/tombstone"
)

// comparePath is the route that reads the two sessions in its parameters a and b.
const comparePath = "/v1/compare"

// unlessEitherDeleted answers with 410 if one of the compared sessions was deleted, and names the
// parameter. It ends requests whose sessions are deleted meanwhile.
func (s *Server) unlessEitherDeleted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.watched == nil {
			return next(c)
		}
		return forTenant(func(_ http.ResponseWriter, r *http.Request, tenant string) {
			var gone *problem.Problem
			ctx, asked := r.Context(), r.URL.Query()
			for _, side := range []string{"a", "b"} {
				of := tombstone.Key{Tenant: tenant, Session: asked.Get(side)}
				if of.Session == "" {
					continue
				}
				if p := s.gone(r.Context(), of); p != nil {
					gone = joinGone(gone, p, side)
				}
				within, leave := s.watched.enter(ctx, of)
				defer leave()
				ctx = within
			}
			if gone != nil {
				problem.Write(c.Response(), gone)
				return
			}
			c.SetRequest(r.WithContext(ctx))
			if err := next(c); err != nil {
				c.Error(err)
			}
		})(c)
	}
}

// joinGone returns the problem for one or both of the compared sessions. soFar is the problem of
// session a; nil if session a is stored.
func joinGone(soFar, p *problem.Problem, side string) *problem.Problem {
	p.Parameter, p.Detail = side, side+": "+p.Detail
	if soFar != nil {
		p.Parameter, p.Detail = "a, b", soFar.Detail+" "+p.Detail
	}
	p.Hint = "GET /v1/sessions lists the sessions that can be compared."
	return p
}

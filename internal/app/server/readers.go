package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
)

// admit counts a request as a reader until done is called.
func (s *Server) admit(r *http.Request) (_ *http.Request, done func(), err error) {
	grant, err := s.Readers.Enter()
	if err != nil {
		return r, nil, err
	}
	return r.WithContext(budget.With(r.Context(), grant)), grant.Close, nil
}

// reads is middleware that applies the readers' budget to a route.
func (s *Server) reads(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, done, err := s.admit(c.Request())
		if err != nil {
			return err
		}
		defer done()
		c.SetRequest(r)
		return next(c)
	}
}

// bounded is like reads, for an http.Handler.
func (s *Server) bounded(next tenantHandler) tenantHandler {
	return func(w http.ResponseWriter, r *http.Request, tenant string) {
		r, done, err := s.admit(r)
		if err != nil {
			refusal, _ := problem.From(err)
			problem.Write(w, refusal)
			return
		}
		defer done()
		next(w, r, tenant)
	}
}

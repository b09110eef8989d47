package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/audit/table"
	"tapedeck/internal/problem"
)

// requestIDHeader is the response header with the id of the request in the audit log.
const requestIDHeader = "X-Request-Id"

// auditTimeout bounds the wait until the end of a change is stored. The beginning is stored before,
// so every change has an entry.
const auditTimeout = 2 * time.Second

// audited is middleware that records the requests of a route. The entry of a change is durable
// before the change begins, and its outcome before the answer begins. On a server with tokens, a
// request that cannot be recorded is answered with 503.
func (s *Server) audited(r route, next echo.HandlerFunc) echo.HandlerFunc {
	if r.action == audit.None {
		return next
	}
	return func(c echo.Context) error {
		log, ctx := s.Node.Audit, c.Request().Context()
		e := s.entry(c, r)
		if p := access.From(ctx); p != nil {
			e.Principal = principalOf(p)
			e.Tenant = access.Tenant(ctx)
		}
		if r.server {
			e.Tenant = access.AllTenants
		}
		if of := s.visits.RequestID(&e); of != "" {
			e.RequestID = of
		}
		if !strings.HasPrefix(c.Path(), "/emulate/") { // recorded answers have only the recorded fields
			c.Response().Header().Set(requestIDHeader, e.RequestID)
		}
		changes := r.action.Changes()
		if changes {
			e.Outcome = audit.Begun
			if err := log.Record(ctx, e); err != nil {
				s.Log.Warn("audit log: a change cannot be recorded", "action", e.Action, "error", err)
				if s.Tokens != nil {
					return notRecorded()
				}
			}
		} else if s.Tokens != nil && log.Full() {
			return notRecorded()
		}
		ended := false
		end := func() {
			if ended {
				return
			}
			ended = true
			e.Status = c.Response().Status
			e.Outcome = audit.OutcomeOf(e.Status)
			if e.Continues && e.Outcome == audit.Done {
				return // the entry of the beginning is stored
			}
			if e.Outcome == audit.Done && s.visits.Continues(&e) {
				return
			}
			if changes {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
				defer cancel()
				if log.Record(ctx, e) == nil {
					return
				}
			}
			_ = log.Note(e) // Note has counted a lost entry
		}
		c.Response().Before(end)
		c.SetRequest(c.Request().WithContext(audit.With(ctx, &e)))
		err := next(c)
		if err == nil && !c.Response().Committed { // net/http answers with 200
			end()
		}
		return err
	}
}

// entry returns the entry of a request, without its principal.
func (s *Server) entry(c echo.Context, r route) audit.Entry {
	action := r.action
	if action == audit.None {
		action = audit.Access
	}
	return audit.Entry{ID: audit.NewID(), At: time.Now(), Remote: c.RealIP(), Action: action, Object: objectOf(c),
		RequestID: audit.NewID()}
}

// dryRuns states in the audit log which requests of a route change nothing.
func dryRuns(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if v := c.QueryParam("dry_run"); v == "1" || v == "true" {
			audit.From(c.Request().Context()).Detail = audit.DryRun
		}
		return next(c)
	}
}

// objectParameters are the query parameters that name the object of a request whose path does not
// name one.
var objectParameters = []string{"account", "period", "session", "name", "seq", "a", "b"}

// objectOf returns the object of a request, as its path or query names it.
func objectOf(c echo.Context) string {
	if strings.HasPrefix(c.Path(), emulated) { // the other parts of the path belong to the recorded application
		if session, err := sessionOf(c); err == nil {
			return session
		}
	}
	var parts []string
	for _, v := range c.ParamValues() {
		if text, err := url.PathUnescape(v); err == nil && c.Request().URL.RawPath != "" {
			v = text
		}
		parts = append(parts, v)
	}
	if strings.HasPrefix(c.Path(), emulated) {
		parts = parts[:1]
	}
	if len(parts) == 0 {
		for _, name := range objectParameters {
			parts = append(parts, c.QueryParams()[name]...)
		}
	}
	return strings.Join(parts, "/")
}

// refused records a request that its principal is not permitted to make.
func (s *Server) refused(c echo.Context, r route, by audit.Principal, tenant string, status int) {
	e := s.entry(c, r)
	e.Principal, e.Tenant, e.Status = by, tenant, status
	if r.action == audit.None {
		e.Object = c.Request().Method + " " + c.Path()
	}
	s.Node.Audit.Refused(e)
}

// principalOf converts a principal for the audit log.
func principalOf(p *access.Principal) audit.Principal {
	return audit.Principal{Kind: string(p.Kind), ID: p.Who(), Name: p.Name}
}

// auditEntries returns a handler for the entries that the principal may see: the entries of its
// tenant, or all entries.
func (s *Server) auditEntries(h table.Handler) echo.HandlerFunc {
	return plain(func(w http.ResponseWriter, r *http.Request) {
		tenant := access.Reach(r)
		if tenant == access.AllTenants {
			tenant = ""
		}
		h.Entries(w, r, tenant)
	})
}

func notRecorded() *problem.Problem {
	return &problem.Problem{
		Title: "Audit log unavailable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "NATS, which takes the entries of the audit log, does not answer this server, and this cannot be done without an entry.",
		Hint:   "Try again in a few seconds; /readyz shows when the server is ready.",
	}
}

package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/deploy/access"
	"tapedeck/deploy/audit"
	"tapedeck/ingest"
	"tapedeck/internal/problem"
)

// authorized is middleware that recognises the principal of a request and its tenant, and
// answers 401 or 403 to those that may not use the route. Without tokens everybody may do
// everything, in the default tenant.
func (s *Server) authorized(c route, next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		r := ec.Request()
		if s.Tokens == nil {
			ec.SetRequest(r.WithContext(access.With(r.Context(), access.Local(), ingest.DefaultTenant)))
			return next(ec)
		}
		ctx, p, done, err := s.Tokens.Accept(r.Context(), tokenOf(r, ec.Path()))
		if err != nil {
			if c.public {
				return next(ec)
			}
			if refusal, ok := errors.AsType[*access.Refusal](err); ok && refusal.Token != nil {
				t := refusal.Token
				s.refused(ec, c, audit.Principal{Kind: string(access.KindToken), ID: t.ID, Name: t.Name}, t.Tenant, http.StatusUnauthorized)
			}
			return s.unauthorized(ec, err)
		}
		defer done()
		tenant, bad := tenantOf(p, r)
		if bad == nil && !c.public {
			bad = c.forbids(p)
		}
		if bad != nil {
			if bad.Status == http.StatusForbidden {
				s.refused(ec, c, principalOf(p), p.Tenant, bad.Status)
				ec.Response().Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="tapedeck", error="insufficient_scope", scope=%q`, c.scope))
			}
			return bad
		}
		ec.SetRequest(r.WithContext(access.With(ctx, p, tenant)))
		return next(ec)
	}
}

// tokenOf returns the token of a request. Clients of providers send their key in fields of
// their own, which count where a recording answers.
func tokenOf(r *http.Request, route string) string {
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(text)
	}
	if strings.HasPrefix(route, "/emulate/") {
		for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
			if text := r.Header.Get(name); text != "" {
				return text
			}
		}
	}
	return ""
}

// tenantOf returns the tenant that a request is about.
func tenantOf(p *access.Principal, r *http.Request) (string, *problem.Problem) {
	asked := r.Header.Get(access.TenantHeader)
	switch {
	case p.Tenant != access.AllTenants && (asked == "" || asked == p.Tenant):
		return p.Tenant, nil
	case p.Tenant != access.AllTenants:
		return "", &problem.Problem{
			Title: "Another tenant", Status: http.StatusForbidden, Parameter: access.TenantHeader, Allowed: []string{p.Tenant},
			Detail: fmt.Sprintf("The token %q is of the tenant %s.", p.Name, p.Tenant), Hint: "Leave " + access.TenantHeader + " out.",
		}
	case asked == "":
		return ingest.DefaultTenant, nil
	}
	if err := ingest.CheckTenant(asked); err != nil {
		return "", problem.BadParameter(access.TenantHeader, err.Error())
	}
	return asked, nil
}

// forbids returns the problem of a principal that may not use a route of the class.
func (c class) forbids(p *access.Principal) *problem.Problem {
	switch {
	case !p.Has(c.scope):
		return &problem.Problem{
			Title: "Scope missing", Status: http.StatusForbidden,
			Detail: fmt.Sprintf("This needs the scope %s; the token %q has %s.", c.scope, p.Name, strings.Join(access.ScopeNames(p.Scopes), ", ")),
			Hint:   fmt.Sprintf("Use another token. An administrator makes one with \"tapedeck tokens create NAME --scope %s\".", c.scope),
		}
	case c.server && !p.Operates():
		return &problem.Problem{
			Title: "Administrators of the server only", Status: http.StatusForbidden,
			Detail: fmt.Sprintf("This is about all tenants; the token %q is of the tenant %s.", p.Name, p.Tenant),
			Hint:   "Use the token in the file admin-token of the server's data directory, or another one of tenant *.",
		}
	}
	return nil
}

// unauthorized answers a request whose token is refused.
func (s *Server) unauthorized(ec echo.Context, err error) error {
	const realm = `Bearer realm="tapedeck"`
	header, r := ec.Response().Header(), ec.Request()
	if errors.Is(err, access.ErrAway) {
		return &problem.Problem{
			Title: "Tokens cannot be checked", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "NATS, which keeps the tokens, does not answer this server.", Hint: "Try again in a few seconds; /readyz shows when the server is ready.",
		}
	}
	p := &problem.Problem{
		Title: "Token needed", Status: http.StatusUnauthorized, Detail: "This server answers requests with a token only.",
		Hint: "Send it as \"Authorization: Bearer td_…\"; commands take it by --token or TAPEDECK_TOKEN. An administrator makes one with \"tapedeck tokens create\".",
	}
	if tokenOf(r, ec.Path()) == "" {
		header.Set("WWW-Authenticate", realm)
		if s.ui != nil && wantsPage(r) {
			header.Set("Cache-Control", "no-store")
			return ec.String(http.StatusUnauthorized, "This server answers requests with a token only. Pages cannot be used with tokens; use commands with --token, or the API.\n")
		}
		return p
	}
	header.Set("WWW-Authenticate", realm+`, error="invalid_token"`)
	p.Title, p.Detail = "Token refused", refusalText(err)
	return p
}

// refusalText says why a token is refused. Only its holder learns more than that.
func refusalText(err error) string {
	refusal, _ := errors.AsType[*access.Refusal](err)
	switch {
	case errors.Is(err, access.ErrMalformed):
		return "This is not a token: a token is td_ and 36 letters and digits."
	case errors.Is(err, access.ErrChecksum):
		return "The token is mistyped or cut: its checksum does not fit."
	case errors.Is(err, access.ErrRevoked):
		return fmt.Sprintf("The token %q was revoked.", refusal.Token.Name)
	case errors.Is(err, access.ErrExpired):
		return fmt.Sprintf("The token %q expired at %s.", refusal.Token.Name, refusal.Token.ExpiresAt.Format(time.RFC3339))
	}
	return "There is no such token on this server."
}

// lasting returns a context that ends when the token of a request is not valid any more,
// for a connection that outlives its request.
func (s *Server) lasting(r *http.Request) (context.Context, func()) {
	leave := keepPlace(r)
	if s.Tokens == nil {
		return context.Background(), leave
	}
	ctx, _, done, err := s.Tokens.Accept(context.Background(), tokenOf(r, ""))
	if err != nil { // it was revoked meanwhile
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, leave
	}
	return ctx, func() { done(); leave() }
}

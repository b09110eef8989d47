package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck/ingest"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
)

// authorized is middleware that determines the principal and the tenant of a request. It answers
// 401 or 403 to a principal that may not use the route. Without tokens it permits every request, in
// the default tenant.
func (s *Server) authorized(c route, next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		r := ec.Request()
		if s.Tokens == nil {
			ec.SetRequest(r.WithContext(access.With(r.Context(), access.Local(), ingest.DefaultTenant)))
			return next(ec)
		}
		if bad := inURL(r.URL); bad != nil {
			return bad
		}
		shown := s.credentialOf(r, ec.Path())
		if shown.text == "" && c.public {
			return next(ec)
		}
		ctx, p, tenant, done, err := s.accept(r.Context(), shown, r)
		if err != nil {
			countCredential(shown, "refused")
			if c.public && shown.kind != access.KindShare { // the page of a link explains why the link opens nothing
				return next(ec)
			}
			if refusal, ok := errors.AsType[*access.Refusal](err); ok && refusal.Token != nil {
				t := refusal.Token
				s.refused(ec, c, audit.Principal{Kind: string(shown.kind), ID: t.ID, Name: t.Name}, t.Tenant,
					http.StatusUnauthorized)
			}
			return s.unauthorized(ec, shown, err)
		}
		defer done()
		var bad *problem.Problem
		if tenant == "" {
			tenant, bad = tenantOf(p, r)
		}
		switch {
		case bad != nil || c.public:
		case p.Kind == access.KindShare:
			bad = notShared(ec, c, p)
		default:
			bad = c.forbids(p)
		}
		if bad != nil {
			countCredential(shown, "forbidden")
			if bad.Status == http.StatusForbidden {
				s.refused(ec, c, principalOf(p), p.Tenant, bad.Status)
				ec.Response().Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="tapedeck", error="insufficient_scope", scope=%q`, strings.TrimSpace(string(c.scope)+" "+string(c.also))))
			}
			return bad
		}
		countCredential(shown, "accepted")
		if shown.ticket {
			r = withoutTicket(r)
		}
		ec.SetRequest(r.WithContext(access.With(ctx, p, tenant)))
		return next(ec)
	}
}

// tokenOf returns the token of a request. Clients of providers send their key in header fields of
// their own, which are accepted on routes where a recording answers.
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

// tenantOf returns the tenant of a request.
func tenantOf(p *access.Principal, r *http.Request) (string, *problem.Problem) {
	asked := r.Header.Get(access.TenantHeader)
	switch {
	case p.Tenant != access.AllTenants && (asked == "" || asked == p.Tenant):
		return p.Tenant, nil
	case p.Tenant != access.AllTenants:
		return "", &problem.Problem{
			Title: "Another tenant", Status: http.StatusForbidden, Parameter: access.TenantHeader, Allowed: []string{p.Tenant},
			Detail: fmt.Sprintf("%s is of the tenant %s.", capital(p.Title()),
				p.Tenant), Hint: "Leave " + access.TenantHeader + " out.",
		}
	case asked == "":
		return p.Home(ingest.DefaultTenant), nil
	}
	if err := ingest.CheckTenant(asked); err != nil {
		return "", problem.BadParameter(access.TenantHeader, err.Error())
	}
	return asked, nil
}

// forbids returns the problem for a principal that may not use a route of the class.
func (c class) forbids(p *access.Principal) *problem.Problem {
	switch {
	case c.any:
	case !p.Has(c.scope) || c.also != "" && !p.Has(c.also):
		needed, flags := "the scope "+string(c.scope), " --scope "+string(c.scope)
		if c.also != "" {
			needed, flags = "the scopes "+string(c.scope)+" and "+string(c.also), flags+" --scope "+string(c.also)
		}
		return &problem.Problem{
			Title: "Scope missing", Status: http.StatusForbidden,
			Detail: fmt.Sprintf("This needs %s; %s has %s.", needed, p.Title(),
				strings.Join(access.ScopeNames(p.Scopes), ", ")),
			Hint: fmt.Sprintf("Use another token. An administrator makes one with \"tapedeck tokens create NAME%s\".", flags),
		}
	case c.server && !p.Operates():
		return &problem.Problem{
			Title: "Administrators of the server only", Status: http.StatusForbidden,
			Detail: fmt.Sprintf("This is about all tenants; %s is of the tenant %s.", p.Title(), p.Tenant),
			Hint:   "Use the token in the file admin-token of the server's data directory, or another one of tenant *.",
		}
	}
	return nil
}

// unauthorized answers a request whose credential is refused.
func (s *Server) unauthorized(ec echo.Context, shown credential, err error) error {
	const realm = `Bearer realm="tapedeck"`
	if _, is := errors.AsType[*access.Refusal](err); !is || errors.Is(err, access.ErrAway) {
		if !is {
			s.Log.Error("access: a credential could not be checked", "error", err)
		}
		return problem.Unchecked()
	}
	header := ec.Response().Header()
	p := &problem.Problem{
		Title: "Token needed", Status: http.StatusUnauthorized, Detail: "This server answers requests with a token or a login only.",
		Hint: "Send it as \"Authorization: Bearer td_…\"; commands take it by --token or TAPEDECK_TOKEN. An " +
			"administrator makes one with \"tapedeck tokens create\". In a browser, log in at /login.",
	}
	if shown.text == "" {
		header.Set("WWW-Authenticate", realm)
		return p
	}
	header.Set("WWW-Authenticate", realm+`, error="invalid_token"`)
	switch {
	case shown.ticket:
		p.Title, p.Detail, p.Hint = "Ticket refused", ticketText(err),
			"Take another one from POST /v1/tickets: a ticket opens one path once, within 30 seconds."
	case shown.kind == access.KindUser:
		p.Title, p.Detail, p.Hint = "Logged out", loginText(err), "Log in again at /login."
	case shown.kind == access.KindShare:
		return shareRefused(header, err)
	default:
		p.Title, p.Detail = "Token refused", refusalText(err)
	}
	return p
}

// loginText describes why a login is refused.
func loginText(err error) string {
	switch {
	case errors.Is(err, access.ErrIdle):
		return "This login was unused for too long."
	case errors.Is(err, access.ErrExpired):
		return "This login has expired."
	case errors.Is(err, access.ErrRevoked):
		return "This login was ended, or the token that it was made with is revoked."
	}
	return "There is no such login on this server."
}

// shareRefused returns the problem for a shared link that is no longer valid or never was.
func shareRefused(header http.Header, err error) *problem.Problem {
	const hint = "Ask who sent the link for another one."
	if errors.Is(err, access.ErrExpired) || errors.Is(err, access.ErrRevoked) {
		header.Del("WWW-Authenticate")
		why := "It has expired."
		if errors.Is(err, access.ErrRevoked) {
			why = "It was revoked."
		}
		return &problem.Problem{Title: "The shared link is over", Status: http.StatusGone, Detail: why, Hint: hint}
	}
	return &problem.Problem{Title: "No such shared link", Status: http.StatusUnauthorized,
		Detail: "The link is mistyped, cut, or of another server.", Hint: hint}
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// refusalText describes why a token is refused. Only the token's holder learns its name and expiry.
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
		return fmt.Sprintf("The token %q expired at %s.", refusal.Token.Name,
			refusal.Token.ExpiresAt.Format(time.RFC3339))
	}
	return "There is no such token on this server."
}

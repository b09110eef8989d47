package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
)

// bodyLimit bounds a request about a login, bytes.
const bodyLimit = 64 << 10

// State is the answer to GET /v1/login: the principal of the request, and the ways to log in.
type State struct {
	Tokens    bool      `json:"tokens"`     // requests need a principal
	OIDC      *string   `json:"oidc"`       // the address that leads to the provider; null without one
	PublicURL *string   `json:"public_url"` // null if browsers use the address of the request
	Principal *Identity `json:"principal"`  // null for an unauthenticated request
}

// Identity describes the principal of a request.
type Identity struct {
	Kind    access.Kind    `json:"kind"`
	Name    string         `json:"name"`
	Tenant  string         `json:"tenant"` // tenant of the request
	All     bool           `json:"all_tenants"`
	Scopes  []access.Scope `json:"scopes"`
	Tenants []string       `json:"tenants"` // tenants that a login may select
	Share   *access.Share  `json:"share"`   // what a shared link opens; null for other principals
	// ExpiresAt is when the token, login or link expires; null for never.
	ExpiresAt *time.Time `json:"expires_at"`
}

// StateOf returns the state of a request. l is nil for a server without tokens.
func (l *Logins) StateOf(r *http.Request) State {
	s := State{Tokens: l != nil}
	if l != nil {
		if public := l.Settings.Public; public != nil {
			text := public.String()
			s.PublicURL = &text
		}
		if l.provider != nil {
			text := l.Settings.Public.String() + StartPath
			s.OIDC = &text
		}
	}
	if p := access.From(r.Context()); p != nil {
		id := &Identity{Kind: p.Kind, Name: p.Name, Tenant: access.Tenant(r.Context()),
			All: p.Tenant == access.AllTenants, Scopes: p.Scopes, Tenants: []string{}, Share: p.Share.Shown(), ExpiresAt: p.Expires}
		if p.Login != nil {
			for _, g := range p.Login.Grants {
				id.Tenants = append(id.Tenants, g.Tenant)
			}
		}
		s.Principal = id
	}
	return s
}

// ServeState answers GET /v1/login.
func (l *Logins) ServeState(w http.ResponseWriter, r *http.Request) { write(w, l.StateOf(r)) }

// ServeLogin answers POST /v1/login: it exchanges a token for a login, whose cookie it sets.
func (l *Logins) ServeLogin(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	if l.refuse(w, r) || !read(w, r, &body, `Send {"token": "td_…"}.`) {
		return
	}
	_, p, done, err := l.tokens.Accept(r.Context(), body.Token)
	if err != nil && !isRefusal(err) {
		away(w)
		return
	}
	if err != nil {
		l.denied(r, audit.Principal{}, http.StatusForbidden)
		why := "This is not a token that is valid on this server."
		if errors.Is(err, access.ErrMalformed) || errors.Is(err, access.ErrChecksum) {
			why = "This is not a token, or it is mistyped or cut: a token is td_ and 36 letters and digits."
		}
		problem.Write(w, &problem.Problem{
			Title: "Token refused", Status: http.StatusBadRequest, Parameter: "token", Detail: why,
			Hint: `An administrator makes one with "tapedeck tokens create".`,
		})
		return
	}
	defer done()
	ask := access.Request{Name: p.Name, Tenant: p.Tenant, Scopes: p.Scopes, ExpiresAt: p.Expires}
	until, err := l.begin(w, r, ask, access.Login{TokenID: p.ID}, l.Settings.byTLS(r))
	if err != nil {
		l.log.Error("login: a login failed", "error", err)
		away(w)
		return
	}
	p.Kind, p.Expires = access.KindUser, &until
	write(w, l.StateOf(r.WithContext(access.With(r.Context(), p, selected(p)))))
}

// ServeSelect answers PATCH /v1/login: it selects the tenant of the login's requests.
func (l *Logins) ServeSelect(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Tenant string `json:"tenant"`
	}
	if l.refuse(w, r) || !read(w, r, &body, `Send {"tenant": "…"}.`) {
		return
	}
	text := l.TextOf(r)
	_, p, done, err := l.Accept(r.Context(), text)
	if err != nil {
		problem.Write(w, &problem.Problem{
			Title: "No login", Status: http.StatusConflict,
			Detail: "Only a login has a tenant that can be selected.",
			Hint:   "Log in, or send " + access.TenantHeader + " with each request.",
		})
		return
	}
	defer done()
	if err := ingest.CheckTenant(body.Tenant); err != nil && body.Tenant != access.AllTenants {
		problem.Write(w, problem.BadParameter("tenant", err.Error()))
		return
	}
	if !may(p, body.Tenant) {
		problem.Write(w, &problem.Problem{Title: "Another tenant", Status: http.StatusForbidden,
			Parameter: "tenant", Detail: fmt.Sprintf("This login may not select the tenant %q.", body.Tenant)})
		return
	}
	if err := l.store.Select(r.Context(), p.ID, body.Tenant); err != nil {
		l.log.Error("login: a tenant was not selected", "error", err)
		away(w)
		return
	}
	_, p, again, err := l.Accept(r.Context(), text)
	if err != nil {
		away(w)
		return
	}
	defer again()
	write(w, l.StateOf(r.WithContext(access.With(r.Context(), p, selected(p)))))
}

// ServeLogout answers DELETE /v1/login: it revokes the login on every server. If the request has no
// login, it only removes the cookie.
func (l *Logins) ServeLogout(w http.ResponseWriter, r *http.Request) {
	if l.refuse(w, r) {
		return
	}
	if text := l.TextOf(r); text != "" {
		_, p, done, err := l.store.Accept(r.Context(), text)
		if err == nil {
			done()
			who := audit.Principal{Kind: string(p.Kind), ID: p.Who(), Name: p.Name}
			if err = l.record(r, audit.Logout, who, p.Tenant); err == nil {
				err = l.revoke(r.Context(), p.ID)
			}
		}
		if err != nil && !isRefusal(err) {
			l.log.Error("login: a logout failed", "error", err)
			away(w)
			return
		}
	}
	clear(w, cookieName, l.Settings.byTLS(r))
	quiet(w)
	w.WriteHeader(http.StatusNoContent)
}

// refuse answers requests that must not create or change a login, and reports whether it did.
func (l *Logins) refuse(w http.ResponseWriter, r *http.Request) bool {
	var bad *problem.Problem
	switch {
	case l == nil:
		bad = &problem.Problem{Title: "Tokens are off", Status: http.StatusConflict,
			Detail: "This server answers on loopback to everybody, and nobody needs to log in.",
			Hint:   "Start it with --tokens."}
	case !l.Settings.fromOwnPage(r) || r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin":
		bad = &problem.Problem{
			Title: "Origin not allowed", Status: http.StatusForbidden, Parameter: "Origin",
			Detail: "Only a page of this server may log in and out.",
			Hint:   "Open /login in a browser. Programs send their token with each request and need no login.",
		}
	default:
		bad = l.Settings.plain(r)
	}
	if bad != nil {
		problem.Write(w, bad)
	}
	return bad != nil
}

// selected returns the tenant for requests of a principal that do not name a tenant.
func selected(p *access.Principal) string { return p.Home(ingest.DefaultTenant) }

func read(w http.ResponseWriter, r *http.Request, into any, hint string) bool {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("This is sent as application/json, not as %q.", r.Header.Get("Content-Type")),
		})
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		problem.Write(
			w,
			&problem.Problem{
				Status: http.StatusBadRequest,
				Detail: "The body could not be read: " + err.Error() + ".",
				Hint:   hint,
			},
		)
		return false
	}
	return true
}

func away(w http.ResponseWriter) {
	problem.Write(w, &problem.Problem{
		Title: "Logins are not possible now", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "NATS, which keeps the logins, does not answer this server.", Hint: "/readyz shows the state of NATS.",
	})
}

func write(w http.ResponseWriter, v any) {
	quiet(w)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}

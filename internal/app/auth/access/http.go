package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
)

// bodyLimit bounds a request for a token, bytes.
const bodyLimit = 64 << 10

// list is the answer to GET /v1/tokens.
type list struct {
	Items []Token `json:"items"`
	Next  *string `json:"next"` // always null
}

// created is the answer to POST /v1/tokens.
type created struct {
	*Token
	Text string `json:"token"` // it is not shown again
}

// wish is the body of POST /v1/tokens.
type wish struct {
	Name      string     `json:"name"`
	Tenant    string     `json:"tenant"`
	Scopes    []Scope    `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// ServeList answers GET /v1/tokens with the tokens of the principal's tenant, or of all tenants.
// The store is nil for a server without tokens, here and in the methods below.
func (s *Store) ServeList(w http.ResponseWriter, r *http.Request) {
	if s == nil {
		problem.Write(w, off())
		return
	}
	items, err := s.List(Reach(r))
	if err != nil {
		fail(w, err)
		return
	}
	write(w, http.StatusOK, list{Items: items})
}

// ServeCreate answers POST /v1/tokens with a new token and its text.
func (s *Store) ServeCreate(w http.ResponseWriter, r *http.Request) {
	if s == nil {
		problem.Write(w, off())
		return
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("A request for a token is sent as application/json, not as %q.",
				r.Header.Get("Content-Type")),
		})
		return
	}
	var body wish
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		problem.Write(w, &problem.Problem{Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".", Hint: `Send {"name": …, "scopes": […]}; tenant and expires_at may be left out.`})
		return
	}
	p, tenant := From(r.Context()), Tenant(r.Context())
	if body.Tenant == "" {
		body.Tenant = tenant
	}
	if !p.Operates() && body.Tenant != p.Tenant {
		problem.Write(w, &problem.Problem{
			Title: "Another tenant", Status: http.StatusForbidden, Parameter: "tenant", Allowed: []string{p.Tenant},
			Detail: fmt.Sprintf("The token %q administers the tenant %s and makes tokens of it only.", p.Name,
				p.Tenant), Hint: "Leave tenant out.",
		})
		return
	}
	ask := Request{Name: body.Name, Tenant: body.Tenant, Scopes: body.Scopes, ExpiresAt: body.ExpiresAt,
		CreatedBy: p.Who()}
	if err := ask.Check(s.now()); err != nil {
		problem.Write(w, problem.BadParameter("", err.Error(), ScopeNames(Scopes)...))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), natsTimeout)
	defer cancel()
	t, text, err := s.Create(ctx, ask)
	if err != nil {
		fail(w, err)
		return
	}
	entry := audit.From(r.Context())
	entry.Object, entry.Tenant, entry.Detail = t.ID, t.Tenant, strings.Join(ScopeNames(t.Scopes), " ")
	write(w, http.StatusCreated, created{t, text})
}

// ServeRevoke answers DELETE /v1/tokens/{id} with the revoked token. It also revokes the links that
// were created with the token, since its owner may have kept one.
func (s *Store) ServeRevoke(w http.ResponseWriter, r *http.Request, id string, links *Store) {
	if s == nil {
		problem.Write(w, off())
		return
	}
	// The change is completed even if the client disconnects, or revokes its own token.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), natsTimeout)
	defer cancel()
	t, err := s.Revoke(ctx, Reach(r), id)
	if errors.Is(err, ErrNone) {
		problem.Write(w, &problem.Problem{Status: http.StatusNotFound, Detail: fmt.Sprintf("There is no token with the id %q.", id), Hint: `"tapedeck tokens list" lists the tokens and their ids.`})
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	audit.From(r.Context()).Tenant = t.Tenant
	if err := links.RevokeOf(ctx, t.ID); err != nil {
		fail(w, fmt.Errorf("the token is revoked, its shared links may not be; repeat the request: %w", err))
		return
	}
	write(w, http.StatusOK, t)
}

// Reach returns the tenant whose tokens, or similar records, a request may see; AllTenants if it
// names none and may see all.
func Reach(r *http.Request) string {
	if p := From(r.Context()); p.Operates() && r.Header.Get(TenantHeader) == "" {
		return AllTenants
	}
	return Tenant(r.Context())
}

func off() *problem.Problem {
	return &problem.Problem{
		Title: "Tokens are off", Status: http.StatusConflict,
		Detail: "This server answers on loopback to everybody and has no tokens.", Hint: "Start it with --tokens.",
	}
}

func fail(w http.ResponseWriter, err error) {
	problem.Write(w, &problem.Problem{
		Title: "Tokens cannot be reached", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: err.Error() + ".", Hint: "/readyz shows the state of NATS.",
	})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}

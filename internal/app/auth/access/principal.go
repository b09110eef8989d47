package access

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// AllTenants is the tenant of a principal that administers the server.
const AllTenants = "*"

// TenantHeader is the request header that names the tenant of a request, for principals of all
// tenants.
const TenantHeader = "Tapedeck-Tenant"

// Principal is the authenticated sender of a request.
type Principal struct {
	Kind   Kind
	ID     string // of the token, login or shared link
	Name   string // of the token or user
	Tenant string // AllTenants for all
	Scopes []Scope
	Login  *Login // nil for other kinds
	Share  *Share // nil for other kinds
	// Expires is when the token, login or link expires; nil for never.
	Expires *time.Time
}

// Who returns the id of the principal, which is the same for all logins of a user: the id of the
// token, including a token that was exchanged for a login, or the user's id at the OpenID provider.
func (p *Principal) Who() string {
	switch {
	case p.Login == nil:
		return p.ID
	case p.Login.TokenID != "":
		return p.Login.TokenID
	}
	return p.Login.Subject
}

// Title returns a description for messages, such as: the token "CI".
func (p *Principal) Title() string {
	switch p.Kind {
	case KindUser:
		return fmt.Sprintf("the login of %q", p.Name)
	case KindShare:
		return "the shared link"
	}
	return fmt.Sprintf("the token %q", p.Name)
}

// Local returns the principal of a server without tokens, which has all rights in all tenants.
func Local() *Principal {
	return &Principal{Kind: KindLocal, Name: "local", Tenant: AllTenants, Scopes: []Scope{Admin}}
}

// Has reports whether the principal has a scope.
func (p *Principal) Has(s Scope) bool {
	return slices.ContainsFunc(p.Scopes, func(own Scope) bool { return own.includes(s) })
}

// Operates reports whether the principal administers the server, not only a tenant.
func (p *Principal) Operates() bool { return p.Tenant == AllTenants && p.Has(Admin) }

type contextKey struct{}

// granted is the value in a request's context.
type granted struct {
	principal *Principal
	tenant    string
}

// With returns a context with a principal, and the tenant of its request.
func With(ctx context.Context, p *Principal, tenant string) context.Context {
	return context.WithValue(ctx, contextKey{}, granted{p, tenant})
}

// From returns the principal of a request; nil if the request is not authenticated.
func From(ctx context.Context) *Principal {
	g, _ := ctx.Value(contextKey{}).(granted)
	return g.principal
}

// Tenant returns the tenant of a request; "" if the request is not authenticated.
func Tenant(ctx context.Context) string {
	g, _ := ctx.Value(contextKey{}).(granted)
	return g.tenant
}

// Home returns the tenant of a request that names none. otherwise is the tenant for a principal of
// all tenants that has not selected one.
func (p *Principal) Home(otherwise string) string {
	switch {
	case p.Tenant != AllTenants:
		return p.Tenant
	case p.Login != nil && p.Login.Selected != "" && p.Login.Selected != AllTenants:
		return p.Login.Selected
	}
	return otherwise
}

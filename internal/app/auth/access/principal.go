package access

import (
	"context"
	"fmt"
	"slices"
)

// AllTenants is the tenant of a principal that administers the server.
const AllTenants = "*"

// TenantHeader is the field of a request that names the tenant that it is about, for
// principals of all tenants.
const TenantHeader = "Tapedeck-Tenant"

// Principal is who sends a request.
type Principal struct {
	Kind   Kind
	ID     string // of the token, login or shared link
	Name   string // of the token or user
	Tenant string // AllTenants for all
	Scopes []Scope
	Login  *Login // of a login; nil for others
	Share  *Share // of a shared link; nil for others
}

// Who returns the id of the principal, which is the same for all logins of a user: the id of the token,
// also of a token that was exchanged for a login, or the id of the user at the OpenID provider.
func (p *Principal) Who() string {
	switch {
	case p.Login == nil:
		return p.ID
	case p.Login.TokenID != "":
		return p.Login.TokenID
	}
	return p.Login.Subject
}

// Title returns who it is, for messages: the token "CI".
func (p *Principal) Title() string {
	switch p.Kind {
	case KindUser:
		return fmt.Sprintf("the login of %q", p.Name)
	case KindShare:
		return "the shared link"
	}
	return fmt.Sprintf("the token %q", p.Name)
}

// Local returns the principal of a server without tokens, which may do everything in all
// tenants.
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

// granted is what a request's context holds.
type granted struct {
	principal *Principal
	tenant    string
}

// With returns a context with a principal, and the tenant that its request is about.
func With(ctx context.Context, p *Principal, tenant string) context.Context {
	return context.WithValue(ctx, contextKey{}, granted{p, tenant})
}

// From returns the principal of a request; nil if none was recognised.
func From(ctx context.Context) *Principal {
	g, _ := ctx.Value(contextKey{}).(granted)
	return g.principal
}

// Tenant returns the tenant that a request is about; "" if no principal was recognised.
func Tenant(ctx context.Context) string {
	g, _ := ctx.Value(contextKey{}).(granted)
	return g.tenant
}

// Home returns the tenant of a request that names none. otherwise is the tenant for a
// principal of all tenants that has selected none.
func (p *Principal) Home(otherwise string) string {
	switch {
	case p.Tenant != AllTenants:
		return p.Tenant
	case p.Login != nil && p.Login.Selected != "" && p.Login.Selected != AllTenants:
		return p.Login.Selected
	}
	return otherwise
}

package login

import (
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/internal/app/auth/access"
)

// A grant is refused with the text, or names a claim, a tenant that there may be, and known scopes.
func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{
		"", "groups=team-a:tenant=team-a,scopes=read,read:raw", "groups=a:tenant=*,scopes=admin", "groups=a:tenant=*,scopes=read", "=a:tenant=a,scopes=read",
		"groups=:tenant=a,scopes=read", "groups=a:tenant=b:tenant=c,scopes=read", "groups=a:tenant=a,scopes=", "groups=a:tenant=a,scopes=read,read", "groups=a:tenant=../x,scopes=read",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if r.Claim == "" || !strings.HasPrefix(text, r.Claim+"="+r.Value+":tenant="+r.Tenant) || len(r.Scopes) == 0 || access.CheckScopes(r.Scopes) != nil {
			t.Errorf("%q: %+v", text, r)
		}
		if r.Tenant == access.AllTenants {
			if !slices.Contains(r.Scopes, access.Admin) {
				t.Errorf("%q is of all tenants without the scope admin", text)
			}
		} else if err := ingest.CheckTenant(r.Tenant); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

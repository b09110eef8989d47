package tenants

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/server"
	"tapedeck/internal/fulltest"
)

// The list has every tenant of which anything is stored or set, for administrators of all; others see
// their own.
func TestTenantsAreListed(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 1)
	r.token("t-tokens", access.Read)
	as := func(tenant, method, path, media, body string) {
		t.Helper()
		if a := r.request(r.root, method, path, media, body, access.TenantHeader+": "+tenant); a.code/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, a.code, a.body)
		}
	}
	as("t-kept", "PUT", "/v1/retention", "application/json", `{"kind": "frames", "max_age_s": 315360000}`)
	as("t-priced", "POST", "/v1/prices?name=p.yaml", "application/yaml", "margins:\n  - {name: x, tenant: t-priced, factor: 1.1}\n")
	list := func(token string, fields ...string) map[string]server.Tenant {
		t.Helper()
		a := r.request(token, "GET", "/v1/tenants", "", "", fields...)
		var page struct{ Items []server.Tenant }
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.code != http.StatusOK {
			t.Fatalf("%d %s", a.code, a.body)
		}
		found := map[string]server.Tenant{}
		for _, one := range page.Items {
			found[one.Name] = one
		}
		return found
	}
	found := list(r.root)
	full := found[tenantOf(alpha)]
	if full.LastFrame == nil || full.Tokens == 0 || full.LastUsed == nil || !full.Bills || full.Retention || full.Prices {
		t.Errorf("the tenant with recordings: %+v", full)
	}
	for name, want := range map[string]server.Tenant{
		"t-tokens": {Name: "t-tokens", Tokens: 1}, "t-kept": {Name: "t-kept", Retention: true}, "t-priced": {Name: "t-priced", Prices: true},
	} {
		if found[name] != want {
			t.Errorf("%s is listed as %+v, want %+v", name, found[name], want)
		}
	}
	if len(found) != 4 {
		t.Errorf("%d tenants are listed, want 4: %v", len(found), found)
	}
	for _, own := range []map[string]server.Tenant{
		list(r.token(tenantOf(alpha), access.Admin)), list(r.root, access.TenantHeader+": "+tenantOf(alpha)),
	} {
		if len(own) != 1 || own[tenantOf(alpha)].LastFrame == nil {
			t.Errorf("one tenant's list: %s", fmt.Sprint(own))
		}
	}
}

package upload

import (
	"net/http"
	"sync/atomic"
	"testing"
)

// A client with a tenant names it in its requests, for tokens of all tenants.
func TestTenantOfRequests(t *testing.T) {
	s := newSite(t, newStore())
	var named atomic.Value
	s.handler = func(_ http.ResponseWriter, r *http.Request) bool {
		named.Store(r.Header.Get("Tapedeck-Tenant"))
		return false
	}
	s.start()
	t.Cleanup(s.halt)
	for _, tenant := range []string{"acme", ""} {
		closeNow(t, dial(t, Options{Server: s.url(), Tenant: tenant}))
		if got := named.Load(); got != tenant {
			t.Errorf("the request names the tenant %q, want %q", got, tenant)
		}
	}
}

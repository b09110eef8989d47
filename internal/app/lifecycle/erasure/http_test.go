package erasure

import (
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
)

// A request about another tenant is refused with the ways to name it: in the API and on the command
// line.
func TestOtherTenant(t *testing.T) {
	_, bad := (&wish{Tenant: "nope"}).request("default")
	if bad == nil || bad.Parameter != "tenant" || !strings.Contains(bad.Detail, access.TenantHeader) || !strings.Contains(bad.Detail, "--as-tenant") {
		t.Errorf("refused: %+v", bad)
	}
	if _, bad := (&wish{Tenant: "default"}).request("default"); bad != nil {
		t.Errorf("the request's own tenant: %+v", bad)
	}
}

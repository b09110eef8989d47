package tenants

import (
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// A session of which nothing is stored is answered 404, in the same words for one of another tenant
// and one that does not exist, and leaves no erasure. With unknown it is erased all the same.
func TestEraseUnknown(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(beta, 0)
	r.fill(alpha, 0)
	admin := r.token(tenantOf(alpha), access.Admin)
	erase := func(body string) answer {
		return r.request(admin, "POST", "/v1/erasures", "application/json", body)
	}
	const unknown, foreign = "only-nobMark", "only-" + beta
	for _, more := range []string{"", `, "dry_run": true`} {
		none, other := erase(`{"sessions": ["`+unknown+`"]`+more+`}`), erase(`{"sessions": ["`+foreign+`"]`+more+`}`)
		if none.code != http.StatusNotFound || !strings.Contains(none.body, `There is no session \"`+unknown) {
			t.Errorf("an unknown session%s: %d %s", more, none.code, none.body)
		}
		if other.code != none.code || strings.ReplaceAll(other.body, foreign, unknown) != none.body {
			t.Errorf("another tenant's session%s: %d %s", more, other.code, other.body)
		}
	}
	if a := erase(`{"sessions": ["shared", "` + unknown + `"]}`); a.code != http.StatusNotFound {
		t.Errorf("one of two is unknown: %d %s", a.code, a.body)
	}
	if a := r.request(admin, "GET", "/v1/sessions/shared", "", ""); a.code != http.StatusOK {
		t.Errorf("the session that was named beside an unknown one: %d", a.code)
	}
	if list := items(t, r.request(admin, "GET", "/v1/erasures", "", "")); len(list) != 0 {
		t.Errorf("refused requests left erasures: %v", list)
	}
	for _, body := range []string{`{"tag": {"key": "customer", "value": "x"}, "unknown": true}`, `{"tenant": "` + tenantOf(alpha) + `", "unknown": true}`} {
		if a := erase(body); a.code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, a.code, a.body)
		}
	}
	if a := erase(`{"sessions": ["` + unknown + `"], "unknown": true}`); a.code != http.StatusAccepted {
		t.Errorf("an unknown session, by name: %d %s", a.code, a.body)
	}
	if a := erase(`{"sessions": ["only-` + alpha + `"]}`); a.code != http.StatusAccepted {
		t.Errorf("a stored session: %d %s", a.code, a.body)
	}
	if list := items(t, r.request(admin, "GET", "/v1/erasures", "", "")); len(list) != 2 {
		t.Errorf("%d erasures, want 2", len(list))
	}
	if a := r.request(r.token(tenantOf(beta), access.Read), "GET", "/v1/sessions/"+foreign, "", ""); a.code != http.StatusOK {
		t.Errorf("the other tenant's session: %d", a.code)
	}
}

// The erasure of a tenant revokes its tokens, and no others.
func TestEraseTenantRevokesTokens(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 0)
	gone, kept := r.token(tenantOf(alpha), access.ReadRaw), r.token(tenantOf(beta), access.ReadRaw)
	if a := r.request(gone, "GET", "/v1/sessions", "", ""); a.code != http.StatusOK {
		t.Fatalf("before the erasure: %d %s", a.code, a.body)
	}
	a := r.request(r.root, "POST", "/v1/erasures", "application/json", `{"tenant": "`+tenantOf(alpha)+`"}`, access.TenantHeader+": "+tenantOf(alpha))
	if a.code != http.StatusAccepted {
		t.Fatalf("the erasure: %d %s", a.code, a.body)
	}
	bounded.Until(t, "the token of the erased tenant is refused", func() bool {
		return r.request(gone, "GET", "/v1/sessions", "", "").code == http.StatusUnauthorized
	})
	if a := r.request(gone, "GET", "/v1/sessions", "", ""); !strings.Contains(a.body, "revoked") {
		t.Errorf("the refusal: %s", a.body)
	}
	for what, token := range map[string]string{"another tenant": kept, "all tenants": r.root} {
		if a := r.request(token, "GET", "/v1/sessions", "", ""); a.code != http.StatusOK {
			t.Errorf("a token of %s: %d %s", what, a.code, a.body)
		}
	}
}

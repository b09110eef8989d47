package tenants

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
)

// Who made a link lists and revokes it with the token and with every login by it. Links end with the
// token that made them, on every server.
func TestLinksEndWithTheirToken(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 0)
	made, text, err := r.tokens.Create(t.Context(), access.Request{Name: "maker", Tenant: tenantOf(alpha), Scopes: []access.Scope{access.ReadRaw}})
	r.must(err)
	page := func(cookie, method, path, body string) answer {
		return r.request("", method, path, "application/json", body, "Origin: "+r.first, "Sec-Fetch-Site: same-origin", "Cookie: "+cookie)
	}
	logIn := func() string {
		a := page("", "POST", "/v1/login", fmt.Sprintf(`{"token":%q}`, text))
		cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
		if a.code != http.StatusOK || cookie == "" {
			t.Fatalf("log in: %d %s", a.code, a.body)
		}
		return cookie
	}
	if a := page(logIn(), "POST", "/v1/shares", `{"session":"shared"}`); a.code != http.StatusCreated {
		t.Fatalf("share: %d %s", a.code, a.body)
	}
	link := r.share(text, `{"session":"shared"}`)
	other := r.share(r.token(tenantOf(alpha), access.ReadRaw), `{"session":"shared"}`)
	for what, list := range map[string]answer{"another login": page(logIn(), "GET", "/v1/shares", ""), "the token": r.request(text, "GET", "/v1/shares", "", "")} {
		if n := len(items(t, list)); n != 2 {
			t.Errorf("%s lists %d links, want 2: %s", what, n, list.body)
		}
	}

	if a := r.request(r.token(tenantOf(alpha), access.Admin), "DELETE", "/v1/tokens/"+made.ID, "", ""); a.code != http.StatusOK {
		t.Fatalf("revoke: %d %s", a.code, a.body)
	}
	if a := r.request(link.text(), "GET", "/v1/sessions/shared", "", ""); a.code != http.StatusGone {
		t.Errorf("the link of a revoked token: %d %s", a.code, a.body)
	}
	if a := r.request(other.text(), "GET", "/v1/sessions/shared", "", ""); a.code != http.StatusOK {
		t.Errorf("the link of another token: %d %s", a.code, a.body)
	}
	r.first = r.second
	bounded.Until(t, "the other server knows it", func() bool {
		return r.request(link.text(), "GET", "/v1/sessions/shared", "", "").code == http.StatusGone
	})
}

package tenants

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// A comparison with a deleted session is answered with 410 and names the parameter; another
// tenant's session of the same id does not exist.
func TestComparisonOfDeletedSessions(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	mine, theirs := r.token(tenantOf(alpha), access.Admin), r.token(tenantOf(beta), access.Admin)
	for _, id := range []string{"kept", "first", "second"} {
		if a := r.request(mine, "POST", "/v1/ingest?session="+id, "application/x-ndjson", `{"text":"said"}`+"\n"); a.code != http.StatusOK {
			t.Fatalf("record %s: %d %s", id, a.code, a.body)
		}
		bounded.Until(t, "the session "+id, func() bool { return r.request(mine, "GET", "/v1/sessions/"+id, "", "").code == http.StatusOK })
	}
	for _, id := range []string{"first", "second"} {
		if a := r.request(mine, "GET", "/v1/compare?a=kept&b="+id, "", ""); a.code != http.StatusOK {
			t.Errorf("before the deletion of %s: %d %s", id, a.code, a.body)
		}
		if a := r.request(mine, "DELETE", "/v1/sessions/"+id, "", ""); a.code != http.StatusNoContent {
			t.Fatalf("delete %s: %d %s", id, a.code, a.body)
		}
	}
	for _, tc := range []struct {
		token, ask, parameter string
		code                  int
		named                 []string
	}{
		{mine, "a=first&b=kept", "a", http.StatusGone, []string{`a: The session "first" was deleted`}},
		{mine, "a=kept&b=second&brief=1", "b", http.StatusGone, []string{`b: The session "second" was deleted`}},
		{mine, "a=first&b=second", "a, b", http.StatusGone, []string{`a: The session "first"`, `b: The session "second"`}},
		{mine, "a=first&b=none", "a", http.StatusGone, []string{`a: The session "first"`}},
		{mine, "a=kept&b=none", "", http.StatusNotFound, []string{`"none"`}},
		{mine, "a=first", "a", http.StatusGone, nil},
		{theirs, "a=first&b=second", "", http.StatusNotFound, []string{`"first"`}},
	} {
		a := r.request(tc.token, "GET", "/v1/compare?"+tc.ask, "", "")
		var p struct{ Title, Detail, Parameter string }
		if err := json.Unmarshal([]byte(a.body), &p); err != nil {
			t.Fatal(err)
		}
		if a.code != tc.code || p.Parameter != tc.parameter || tc.code == http.StatusGone && p.Title != "Session deleted" {
			t.Errorf("%s: %d %s", tc.ask, a.code, a.body)
		}
		for _, named := range tc.named {
			if !strings.Contains(p.Detail, named) {
				t.Errorf("%s: %q does not contain %q", tc.ask, p.Detail, named)
			}
		}
	}
	// Recorded anew, it is there.
	if a := r.request(mine, "POST", "/v1/ingest?session=first", "application/x-ndjson", `{"text":"said"}`+"\n"); a.code != http.StatusOK {
		t.Fatalf("record anew: %d %s", a.code, a.body)
	}
	bounded.Until(t, "the session that was recorded anew", func() bool {
		return r.request(mine, "GET", "/v1/compare?a=first&b=kept", "", "").code == http.StatusOK
	})
}

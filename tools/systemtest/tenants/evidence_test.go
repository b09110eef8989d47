package tenants

import (
	"archive/zip"
	"strings"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/fulltest"
)

// The evidence of a bill has frames, so that a token needs the scopes of bills and of frames.
// The price table is in the evidence of the server's administrators alone.
func TestEvidenceNeedsTwoScopes(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 1)
	for _, tc := range []struct {
		token  string
		code   int
		prices bool
	}{
		{r.token(tenantOf(alpha), access.Bill), 403, false},
		{r.token(tenantOf(alpha), access.ReadRaw), 403, false},
		{r.token(tenantOf(alpha), access.Bill, access.Read), 403, false},
		{r.token(tenantOf(alpha), access.Bill, access.ReadRaw), 200, false},
		{r.token(tenantOf(alpha), access.Admin), 200, false},
		{r.root, 200, true},
	} {
		var fields []string
		if tc.token == r.root {
			fields = []string{access.TenantHeader + ": " + tenantOf(alpha)}
		}
		a := r.request(tc.token, "GET", "/v1/bills/INV-000001/evidence", "", "", fields...)
		if a.code != tc.code {
			t.Errorf("%d %s, want %d", a.code, clip(a.body), tc.code)
			continue
		}
		if tc.code != 200 {
			if !strings.Contains(a.body, "the scopes bill and read:raw") {
				t.Errorf("the refusal says %s", a.body)
			}
			continue
		}
		archive, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
		r.must(err)
		names := map[string]bool{}
		for _, f := range archive.File {
			names[f.Name] = true
		}
		if names["prices.json"] != tc.prices || names["left-out.csv"] == tc.prices || !names["rows.csv"] || !names["SHA256SUMS"] {
			t.Errorf("prices %t: the evidence has %v", tc.prices, names)
		}
	}
}

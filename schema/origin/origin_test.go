package origin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	local, named, all := Rule{Local: true}, Rule{Allowed: []string{"https://ui.example"}, Local: true}, Rule{Allowed: []string{"*"}}
	for _, tc := range []struct {
		rule Rule
		from string
		ok   bool
	}{
		{Rule{}, "", true},
		{Rule{}, "http://tapedeck.example:4600", true},
		{Rule{}, "https://TAPEDECK.example:4600", true},
		{Rule{}, "http://tapedeck.example", false},
		{Rule{}, "http://localhost:3000", false},
		{Rule{}, "null", false},
		{Rule{}, "://", false},
		{local, "", true},
		{local, "http://tapedeck.example:4600", true},
		{local, "http://localhost:3000", true},
		{local, "http://LocalHost", true},
		{local, "http://127.0.0.1:5173", true},
		{local, "http://[::1]:8080", true},
		{local, "http://localhost.evil.example", false},
		{local, "https://evil.example", false},
		{local, "null", false},
		{named, "", true},
		{named, "https://ui.example", true},
		{named, "https://UI.example", true},
		{named, "https://evil.example", false},
		{named, "http://localhost:3000", false},
		{named, "http://tapedeck.example:4600", false},
		{all, "https://evil.example", true},
		{all, "null", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://tapedeck.example:4600/x", nil)
		if tc.from != "" {
			r.Header.Set("Origin", tc.from)
		}
		bad := tc.rule.Check(r, "do this")
		if (bad == nil) != tc.ok {
			t.Errorf("%+v, %q: %v", tc.rule, tc.from, bad)
		}
		if bad != nil && (bad.Status != http.StatusForbidden || !strings.Contains(bad.Detail, tc.from) || !strings.Contains(bad.Detail, "may not do this")) {
			t.Errorf("%+v, %q: %+v", tc.rule, tc.from, bad)
		}
	}
}

package origin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/internal/metric/metrictest"
)

func TestCheck(t *testing.T) {
	metrictest.Grow(t, "tapedeck_http_refused_pages_total")
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

// Requests without Origin are judged by where the browser says that they come from.
func TestSite(t *testing.T) {
	strict, local := Rule{}, Rule{Local: true}
	links := Rule{Local: true, Links: true}
	const page = "Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document"
	for _, tc := range []struct {
		rule           Rule
		method, fields string
		ok             bool
	}{
		{strict, "POST", "", true},
		{strict, "POST", "Sec-Fetch-Site: same-origin", true},
		{strict, "POST", "Sec-Fetch-Site: none", true},
		{strict, "POST", "Sec-Fetch-Site: same-site", false},
		{strict, "POST", "Sec-Fetch-Site: cross-site", false},
		{strict, "POST", "Sec-Fetch-Site: Cross-Site", false},
		{strict, "POST", "Sec-Fetch-Site: something-new", false},
		{strict, "GET", "Sec-Fetch-Site: cross-site; " + page, false},
		{local, "GET", "Sec-Fetch-Site: same-site", true},
		{local, "GET", "Sec-Fetch-Site: cross-site", false},
		{local, "GET", "Sec-Fetch-Site: cross-site; " + page, false},
		{links, "GET", "Sec-Fetch-Site: cross-site; " + page, true},
		{links, "POST", "Sec-Fetch-Site: cross-site; " + page, false},
		{links, "GET", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: iframe", false},
		{links, "GET", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: no-cors; Sec-Fetch-Dest: image", false},
		{Rule{Allowed: []string{"*"}}, "POST", "Sec-Fetch-Site: cross-site", true},
		{local, "POST", "Origin: http://localhost:3000; Sec-Fetch-Site: cross-site", true},
		{local, "POST", "Origin: null", false},
		{Rule{Also: []string{"null"}}, "POST", "Origin: null", true},
		{Rule{Local: true, Also: []string{"https://app.example"}}, "POST", "Origin: https://app.example; Sec-Fetch-Site: cross-site", true},
		{Rule{Local: true, Also: []string{"https://app.example"}}, "POST", "Origin: http://localhost:1", true},
		{Rule{Local: true, Also: []string{"https://app.example"}}, "POST", "Origin: https://app.example.org", false},
	} {
		r := httptest.NewRequest(tc.method, "http://127.0.0.1:4600/x", nil)
		for field := range strings.SplitSeq(tc.fields, "; ") {
			if name, value, ok := strings.Cut(field, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		if bad := tc.rule.Check(r, "do this"); (bad == nil) != tc.ok {
			t.Errorf("%+v, %s %s: %v", tc.rule, tc.method, tc.fields, bad)
		}
	}
}

func TestHosts(t *testing.T) {
	for host, ok := range map[string]bool{
		"127.0.0.1:4600": true, "localhost": true, "LocalHost:80": true, "[::1]:4600": true, "127.8.9.1": true, "app.test": true, "APP.test:1": true,
		"evil.example": false, "evil.example:4600": false, "127.0.0.1.evil.example": false, "localhost.evil.example": false,
		"app.test.evil.example": false, "169.254.0.1": false, "": false, "0.0.0.0": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/x", nil)
		r.Host = host
		bad := Hosts{"app.test"}.Check(r, "Call it otherwise.")
		if (bad == nil) != ok {
			t.Errorf("%q: %v", host, bad)
		}
		if bad != nil && (bad.Status != http.StatusMisdirectedRequest || bad.Hint != "Call it otherwise.") {
			t.Errorf("%q: %+v", host, bad)
		}
	}
}

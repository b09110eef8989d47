package isolate

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// What a browser would run or show is refused; what programs and fetch ask for is
// answered.
func TestDestinations(t *testing.T) {
	for _, tc := range []struct {
		fields string
		ok     bool
	}{
		{"", true},
		{"Sec-Fetch-Dest: empty; Sec-Fetch-Mode: cors; Sec-Fetch-Site: same-origin", true},
		{"Sec-Fetch-Dest: empty; Sec-Fetch-Mode: no-cors", true},
		{"Sec-Fetch-Dest: websocket; Sec-Fetch-Mode: websocket", true},
		{"Sec-Fetch-Dest: image; Sec-Fetch-Mode: no-cors", true},
		{"Sec-Fetch-Dest: document; Sec-Fetch-Mode: navigate", false},
		{"Sec-Fetch-Mode: navigate", false},
		{"Sec-Fetch-Dest: empty; Sec-Fetch-Mode: navigate", false},
		{"Sec-Fetch-Dest: iframe; Sec-Fetch-Mode: navigate", false},
		{"Sec-Fetch-Dest: frame", false},
		{"Sec-Fetch-Dest: embed", false},
		{"Sec-Fetch-Dest: object", false},
		{"Sec-Fetch-Dest: script; Sec-Fetch-Mode: no-cors", false},
		{"Sec-Fetch-Dest: Script", false},
		{"Sec-Fetch-Dest: style", false},
		{"Sec-Fetch-Dest: worker", false},
		{"Sec-Fetch-Dest: sharedworker", false},
		{"Sec-Fetch-Dest: serviceworker", false},
		{"Sec-Fetch-Dest: empty; Service-Worker: script", false},
		{"Sec-Fetch-Dest: xslt", false},
		{"Sec-Fetch-Dest: audioworklet", false},
		{"Sec-Fetch-Dest: manifest", false},
		{"Sec-Fetch-Dest: something-new", false},
		{"Tapedeck-Own-Origin: 1", true},
		{"Tapedeck-Own-Origin: 1; Sec-Fetch-Dest: document", false},
		{"Tapedeck-Own-Origin: 1; Sec-Fetch-Mode: navigate", false},
	} {
		res := answer(t, tc.fields, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("recorded")) })
		body, _ := io.ReadAll(res.Body)
		if ok := res.StatusCode == http.StatusOK; ok != tc.ok {
			t.Errorf("%s: %d %s", tc.fields, res.StatusCode, body)
		}
		if !tc.ok && !strings.Contains(string(body), "tapedeck emulate http SESSION") {
			t.Errorf("%s: the refusal does not say where it opens: %s", tc.fields, body)
		}
	}
}

// Fields that act on the origin are left out, however the head is written; all
// others stay. On a port of its own nothing is changed.
func TestFields(t *testing.T) {
	recorded := http.Header{
		"Content-Type": {"text/html"}, "X-Request-Id": {"req-1"}, "Www-Authenticate": {"Bearer"}, "Location": {"/next"},
		"Content-Security-Policy": {"script-src *"}, "X-Content-Type-Options": {"none"},
	}
	for _, name := range dropped {
		if http.CanonicalHeaderKey(name) != name {
			t.Errorf("%s is not canonical, and would not be left out", name)
		}
		recorded[name] = []string{"x"}
	}
	for how, write := range map[string]func(w http.ResponseWriter){
		"head":     func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"body":     func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) },
		"no write": func(http.ResponseWriter) {},
	} {
		for _, own := range []bool{false, true} {
			fields := ""
			if own {
				fields = OwnOrigin + ": 1"
			}
			h := answer(t, fields, func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), recorded)
				write(w)
			}).Header
			for _, name := range dropped {
				if _, there := h[name]; there != own {
					t.Errorf("%s, own origin %v: %s there: %v", how, own, name, there)
				}
			}
			want := []string{"sandbox", "nosniff"}
			if own {
				want = []string{"script-src *", "none"}
			}
			got := append(slices.Clone(h["Content-Security-Policy"]), h["X-Content-Type-Options"]...)
			if !slices.Equal(got, want) {
				t.Errorf("%s, own origin %v: %q, want %q", how, own, got, want)
			}
			for _, name := range []string{"Content-Type", "X-Request-Id", "Www-Authenticate", "Location"} {
				if h.Get(name) != recorded.Get(name) {
					t.Errorf("%s, own origin %v: %s is %q", how, own, name, h.Get(name))
				}
			}
		}
	}
}

// Whoever records an answer commands no proxy before the server, and no cache keeps an answer for
// others, on a port of its own neither.
func TestProxyFields(t *testing.T) {
	for _, tc := range []struct{ recorded, isolated, own string }{
		{"", "private", ""},
		{"no-cache", "no-cache, private", "no-cache"},
		{"no-store", "no-store", "no-store"},
		{"private, max-age=3", "private, max-age=3", "private, max-age=3"},
		{"max-age=60", "max-age=60, private", "max-age=60"},
		{"Public, max-age=60", "Public, max-age=60, private", "Public, max-age=60, private"},
		{"s-maxage=60", "s-maxage=60, private", "s-maxage=60, private"},
		{"must-revalidate", "must-revalidate, private", "must-revalidate, private"},
		{`public, private="set-cookie"`, `public, private="set-cookie", private`, `public, private="set-cookie", private`},
	} {
		for fields, want := range map[string]string{"": tc.isolated, OwnOrigin + ": 1": tc.own} {
			h := answer(t, fields, func(w http.ResponseWriter, _ *http.Request) {
				for _, name := range []string{"X-Accel-Redirect", "X-Accel-Expires", "X-Sendfile", "X-LIGHTTPD-send-file", "X-Reproxy-URL", "X-Reproxy-File", "Surrogate-Control", "CDN-Cache-Control"} {
					w.Header().Set(name, "/internal/file")
				}
				w.Header()["x-accel-redirect"] = []string{"/internal/file"}
				if tc.recorded != "" {
					w.Header().Set("Cache-Control", tc.recorded)
				}
				w.Header().Set("X-Request-Id", "1")
				_, _ = w.Write([]byte("x"))
			}).Header
			for name, values := range h {
				if slices.Contains(values, "/internal/file") {
					t.Errorf("%q: %s is sent", fields, name)
				}
			}
			if got := h.Get("Cache-Control"); got != want || h.Get("X-Request-Id") != "1" {
				t.Errorf("%q: recorded with %q it is sent with %q, want %q", fields, tc.recorded, got, want)
			}
		}
	}
}

// Pages are not offered fields that were left out.
func TestExposedFields(t *testing.T) {
	for own, want := range map[string]string{
		"": "Retry-After, X-Request-Id", OwnOrigin + ": 1": "Link, Retry-After, Service-Worker-Allowed, X-Request-Id",
	} {
		h := answer(t, own, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Access-Control-Expose-Headers", "Link, Retry-After, Service-Worker-Allowed, X-Request-Id")
			_, _ = w.Write([]byte("x"))
		}).Header
		if got := h.Get("Access-Control-Expose-Headers"); got != want {
			t.Errorf("%q: exposed are %q, want %q", own, got, want)
		}
	}
}

func answer(t *testing.T, fields string, next http.HandlerFunc) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4600/emulate/x/page.html", nil)
	for field := range strings.SplitSeq(fields, "; ") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	Handler(next)(w, r)
	return w.Result()
}

package login_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/bounded"
)

// Users of a real provider log in, with the rights of their groups: read from its userinfo, or
// from the ID token.
func TestLogin(t *testing.T) {
	for _, idToken := range []bool{false, true} {
		r := newRig(t, login.Settings{}, idToken)
		ann := r.browser()
		if p := ann.who(); p != nil {
			t.Fatalf("before the login: %+v", p)
		}
		a := ann.logIn("ann")
		if a.code != http.StatusSeeOther || a.header.Get("Location") != r.first+"/bills?number=1" {
			t.Fatalf("the callback: %d %v %s", a.code, a.header, a.body)
		}
		set := strings.Join(a.header.Values("Set-Cookie"), "\n")
		for _, want := range []string{"tapedeck=tdl_", "HttpOnly", "SameSite=Lax", "Path=/", "tapedeck-login=;"} {
			if !strings.Contains(set, want) {
				t.Errorf("the cookies lack %s: %s", want, set)
			}
		}
		if p := ann.who(); p == nil || p.Kind != access.KindUser || p.Name != "User ann" || p.Tenant != "team-a" || p.All || !slices.Equal(p.Scopes, []access.Scope{access.Admin, access.Read}) {
			t.Errorf("after the login: %+v", p)
		}
		if a := ann.page("GET", "/v1/tokens", ""); a.code != http.StatusOK {
			t.Errorf("the administrator of team-a: %d %s", a.code, a.body)
		}
		if idToken {
			continue
		}
		carl := r.browser()
		if a := carl.logIn("carl"); a.code != http.StatusForbidden || !strings.Contains(a.body, "No access") || !strings.Contains(a.body, "User carl") || carl.cookie() != "" {
			t.Errorf("a user of another group: %d %s", a.code, a.body)
		}
		// Two tenants: one is selected, and another one can be.
		bob := r.browser()
		bob.logIn("bob")
		if p := bob.who(); p == nil || p.Tenant != "team-a" || p.All || !slices.Equal(p.Tenants, []string{"team-a", "*"}) {
			t.Fatalf("a user of two tenants: %+v", p)
		}
		if a := bob.page("GET", "/v1/tokens", ""); a.code != http.StatusForbidden {
			t.Errorf("a reader of team-a: %d %s", a.code, a.body)
		}
		if a := bob.page("PATCH", "/v1/login", `{"tenant":"*"}`); a.code != http.StatusOK {
			t.Fatalf("select all tenants: %d %s", a.code, a.body)
		}
		if p := bob.who(); p == nil || !p.All {
			t.Errorf("after the selection: %+v", p)
		}
		if a := bob.page("GET", "/v1/tokens", ""); a.code != http.StatusOK {
			t.Errorf("the administrator of all: %d %s", a.code, a.body)
		}
		if a := ann.page("PATCH", "/v1/login", `{"tenant":"team-b"}`); a.code != http.StatusForbidden {
			t.Errorf("a tenant of others: %d %s", a.code, a.body)
		}
	}
}

// The provider's keys change between two logins.
func TestKeysAreRotated(t *testing.T) {
	r := newRig(t, login.Settings{}, true)
	for range 2 {
		b := r.browser()
		if a := b.logIn("ann"); a.code != http.StatusSeeOther || b.who() == nil {
			t.Errorf("the login: %d %s", a.code, a.body)
		}
		if a := b.send("POST", r.issuer+"/test/rotate", ""); a.code != http.StatusOK {
			t.Fatal(a)
		}
	}
}

// A callback completes a login once, in the browser that began it, with the code and the ID token
// that are for it.
func TestCallbacksOfOthers(t *testing.T) {
	r := newRig(t, login.Settings{}, false)
	change := func(address, name, value string) string {
		u, err := url.Parse(address)
		r.must(err)
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	query := func(address, name string) string {
		u, err := url.Parse(address)
		r.must(err)
		return u.Query().Get(name)
	}
	refused := func(what string, b *browser, address string, code int) {
		t.Helper()
		a := b.send("GET", address, "")
		if a.code != code || b.cookie() != "" || strings.Contains(strings.Join(a.header.Values("Set-Cookie"), ""), "tdl_") {
			t.Errorf("%s: %d %s", what, a.code, a.body)
		}
		if p := a.header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || !strings.Contains(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: the page's policy is %q", what, p)
		}
	}
	b := r.browser()
	done := b.atProvider(b.toProvider("/"), "ann")
	refused("in another browser", r.browser(), done, http.StatusBadRequest)
	refused("after another browser used the state", b, done, http.StatusBadRequest)

	b = r.browser()
	done = b.atProvider(b.toProvider("/"), "ann")
	if a := b.send("GET", done, ""); a.code != http.StatusSeeOther {
		t.Fatalf("the login: %d %s", a.code, a.body)
	}
	replayed := r.browser()
	replayed.jar = b.jar
	if a := b.send("GET", done, ""); a.code != http.StatusBadRequest {
		t.Errorf("the callback again: %d %s", a.code, a.body)
	}

	b = r.browser()
	other := r.browser()
	stolen := query(other.atProvider(other.toProvider("/"), "ann"), "code")
	refused("with the code of another login", b, change(b.atProvider(b.toProvider("/"), "bob"), "code", stolen), http.StatusForbidden)

	b = r.browser()
	refused("with the nonce of another login", b, b.atProvider(change(b.toProvider("/"), "nonce", "of-another"), "ann"), http.StatusForbidden)

	b = r.browser()
	done = b.atProvider(b.toProvider("/"), "ann")
	refused("with another state", b, change(done, "state", "tdf_0123"), http.StatusBadRequest)
	refused("without a state", b, r.first+login.CallbackPath, http.StatusBadRequest)
	refused("an error of the provider", b, change(change(done, "code", ""), "error", "access_denied<script>"), http.StatusForbidden)

	b = r.browser()
	a := b.send("GET", b.atProvider(b.toProvider("/"), "nobody"), "") // refused there
	if a.code != http.StatusForbidden || !strings.Contains(a.body, "the user &lt;b&gt;refused") {
		t.Errorf("a user that the provider does not know: %d %s", a.code, a.body)
	}
}

// The address to return to is a path of the server, whatever the link says.
func TestNoOpenRedirect(t *testing.T) {
	r := newRig(t, login.Settings{}, false)
	for _, back := range []string{"//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\tevil", "javascript:alert(1)", "", "/login", "@evil.example", "/" + strings.Repeat("x", 3000)} {
		b := r.browser()
		a := b.send("GET", b.atProvider(b.toProvider(back), "ann"), "")
		if got := a.header.Get("Location"); a.code != http.StatusSeeOther || got != r.first+"/" {
			t.Errorf("%q leads to %d %q", back, a.code, got)
		}
	}
}

// Without the provider there is a page that says so, and the server works.
func TestProviderAway(t *testing.T) {
	r := newRig(t, login.Settings{Issuer: "http://127.0.0.1:1"}, false)
	b := r.browser()
	a := b.send("GET", r.first+login.StartPath, "")
	if a.code != http.StatusBadGateway || !strings.Contains(a.body, "does not answer") || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", a.code, a.header, a.body)
	}
	_, text, err := r.tokens.Create(t.Context(), access.Request{Name: "x", Tenant: "a", Scopes: []access.Scope{access.Admin}})
	r.must(err)
	if a := b.page("POST", "/v1/login", fmt.Sprintf(`{"token":%q}`, text)); a.code != http.StatusOK {
		t.Errorf("a login by token: %d %s", a.code, a.body)
	}
}

// A provider that takes a connection and says nothing is asked once by all who log in, who are not
// held up for longer than they wait.
func TestProviderHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var asked atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			defer c.Close()
		}
	}()
	r := newRig(t, login.Settings{Issuer: "http://" + l.Addr().String()}, false)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.first+login.StartPath, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
				t.Errorf("it is answered %d", res.StatusCode)
			}
		})
	}
	bounded.Wait(t, all.Wait)
	if n := asked.Load(); n != 1 {
		t.Errorf("the provider is asked %d times at once", n)
	}
}

package login_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/bounded"
)

// local has no provider.
var local = login.Settings{Issuer: "http://127.0.0.1:1"}

// tokenOf makes a token.
func (r *rig) tokenOf(scopes ...access.Scope) (*access.Token, string) {
	r.t.Helper()
	token, text, err := r.tokens.Create(r.t.Context(), access.Request{Name: "of a test", Tenant: "team-a", Scopes: scopes})
	r.must(err)
	return token, text
}

// withToken returns a browser that logged in with a token.
func (r *rig) withToken(text string) *browser {
	r.t.Helper()
	b := r.browser()
	if a := b.page("POST", "/v1/login", fmt.Sprintf(`{"token":%q}`, text)); a.code != http.StatusOK || b.cookie() == "" {
		r.t.Fatalf("log in: %d %s", a.code, a.body)
	}
	return b
}

func TestLoginByToken(t *testing.T) {
	r := newRig(t, local, false)
	token, text := r.tokenOf(access.Admin)
	b := r.withToken(text)
	if p := b.who(); p == nil || p.Kind != access.KindUser || p.Name != "of a test" || p.Tenant != "team-a" {
		t.Errorf("after the login: %+v", p)
	}
	if a := b.page("GET", "/v1/tokens", ""); a.code != http.StatusOK {
		t.Errorf("%d %s", a.code, a.body)
	}
	for what, value := range map[string]string{
		"tampered": b.cookie()[:len(b.cookie())-1] + "-", "another": "tdl_0123456789ABCDEFGHIJKLMNOPQRST000000", "a token": text, "empty": "",
	} {
		a := r.browser().send("GET", r.first+"/v1/tokens", "", "Cookie: tapedeck="+value)
		if a.code != http.StatusUnauthorized {
			t.Errorf("a cookie that is %s: %d %s", what, a.code, a.body)
		}
	}
	if a := r.browser().page("POST", "/v1/login", `{"token":"td_nonsense"}`); a.code != http.StatusBadRequest || len(a.header.Values("Set-Cookie")) > 0 {
		t.Errorf("no token: %d %s", a.code, a.body)
	}
	// With a token in the head the cookie does not count.
	_, reader := r.tokenOf(access.Read)
	if a := b.send("GET", r.first+"/v1/tokens", "", "Authorization: Bearer "+reader); a.code != http.StatusForbidden {
		t.Errorf("a token beside the cookie: %d", a.code)
	}
	if _, err := r.tokens.Revoke(t.Context(), "team-a", token.ID); err != nil {
		t.Fatal(err)
	}
	if a := b.page("GET", "/v1/tokens", ""); a.code != http.StatusUnauthorized || !strings.Contains(a.body, "/login") {
		t.Errorf("after the token was revoked: %d %s", a.code, a.body)
	}
}

// A login by a token ends with the token, or after the longest time of a login if that is earlier. The
// answer to the login and the later state say so.
func TestEndOfLogin(t *testing.T) {
	r := newRig(t, local, false)
	begin := time.Now()
	for name, life := range map[string]time.Duration{"no end": 0, "an early end": time.Minute, "a late end": 10000 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			ask := access.Request{Name: "of a test", Tenant: "team-a", Scopes: []access.Scope{access.Read}}
			if life > 0 {
				end := begin.Add(life).UTC()
				ask.ExpiresAt = &end
			}
			_, text, err := r.tokens.Create(t.Context(), ask)
			r.must(err)
			b := r.browser()
			var state login.State
			a := b.page("POST", "/v1/login", fmt.Sprintf(`{"token":%q}`, text))
			if err := json.Unmarshal([]byte(a.body), &state); err != nil || state.Principal == nil || state.Principal.ExpiresAt == nil {
				t.Fatalf("%d %s: %v", a.code, a.body, err)
			}
			got := *state.Principal.ExpiresAt
			if later := b.who(); later.ExpiresAt == nil || !later.ExpiresAt.Equal(got) {
				t.Errorf("the login ends %v, and later %v", got, later.ExpiresAt)
			}
			if life == time.Minute && !got.Equal(*ask.ExpiresAt) {
				t.Errorf("the login ends %v, its token %v", got, ask.ExpiresAt)
			}
			if life != time.Minute && (got.Before(begin.Add(time.Hour)) || got.After(begin.Add(5000*time.Hour))) {
				t.Errorf("the login ends %v", got)
			}
		})
	}
}

// A logout counts on every server, and ends what runs with the login.
func TestLogout(t *testing.T) {
	r := newRig(t, local, false)
	_, text := r.tokenOf(access.Admin)
	b := r.withToken(text)
	kept := b.cookie()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	onSecond := func(fields ...string) int {
		return r.browser().send("GET", r.second+"/v1/tokens", "", append(fields, "Cookie: tapedeck="+kept)...).code
	}
	bounded.Until(t, "the second server knows the login", func() bool { return onSecond() == http.StatusOK })
	var sockets []*websocket.Conn
	for _, server := range []string{r.first, r.second} {
		conn, _, err := websocket.Dial(ctx, server+"/v1/ingest/ws?session=s&dialect=generic", &websocket.DialOptions{
			HTTPHeader: http.Header{"Cookie": {"tapedeck=" + kept}, "Origin": {server}},
		})
		r.must(err)
		defer conn.CloseNow()
		sockets = append(sockets, conn)
	}
	if a := b.page("DELETE", "/v1/login", ""); a.code != http.StatusNoContent {
		t.Fatalf("log out: %d %s", a.code, a.body)
	}
	if b.cookie() != "" {
		t.Error("the cookie is kept")
	}
	for i, conn := range sockets {
		if err := endOf(ctx, conn); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("the WebSocket on server %d ended with %v", i+1, err)
		}
	}
	if code := onSecond(); code != http.StatusUnauthorized {
		t.Errorf("on the second server: %d", code)
	}
	if a := r.browser().send("GET", r.first+"/v1/tokens", "", "Cookie: tapedeck="+kept); a.code != http.StatusUnauthorized || !strings.Contains(a.body, "Log in again") {
		t.Errorf("on the first server: %d %s", a.code, a.body)
	}
	if a := b.page("DELETE", "/v1/login", ""); a.code != http.StatusNoContent {
		t.Errorf("log out again: %d", a.code)
	}
}

// endOf reads a WebSocket to its end.
func endOf(ctx context.Context, conn *websocket.Conn) error {
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			return err
		}
	}
}

// The cookie counts for pages of the server alone.
func TestCookieOfOtherPages(t *testing.T) {
	r := newRig(t, local, false)
	_, text := r.tokenOf(access.Admin)
	b := r.withToken(text)
	const body = `{"name":"x","scopes":["read"]}`
	for what, fields := range map[string][]string{
		"another site":                {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		"another site's form":         {"Origin: null", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"},
		"another port":                {"Origin: http://127.0.0.1:9", "Sec-Fetch-Site: same-site"},
		"a browser without Origin":    {"Sec-Fetch-Site: cross-site"},
		"nobody knows which page":     {},
		"an allowed page":             {"Origin: https://ui.example.com", "Sec-Fetch-Site: cross-site"},
		"its own port by https":       {"Origin: " + strings.Replace(r.first, "http:", "https:", 1)},
		"a name that is not its host": {"Origin: http://localhost:" + r.first[strings.LastIndex(r.first, ":")+1:]},
	} {
		for method, path := range map[string]string{"POST": "/v1/tokens", "DELETE": "/v1/tokens/0123456789", "PATCH": "/v1/login"} {
			if a := b.send(method, r.first+path, body, fields...); a.code != http.StatusUnauthorized && a.code != http.StatusForbidden {
				t.Errorf("%s %s of %s: %d %s", method, path, what, a.code, a.body)
			}
		}
	}
	if a := b.page("POST", "/v1/tokens", body); a.code != http.StatusCreated {
		t.Errorf("its own page: %d %s", a.code, a.body)
	}
	for what, fields := range map[string][]string{
		"another port":    {"Origin: http://127.0.0.1:9", "Sec-Fetch-Site: same-site"},
		"an allowed page": {"Origin: https://ui.example.com", "Sec-Fetch-Site: cross-site"},
	} {
		if a := b.send("GET", r.first+"/v1/tokens", "", fields...); a.code != http.StatusUnauthorized {
			t.Errorf("reading for %s: %d", what, a.code)
		}
		if a := b.send("DELETE", r.first+"/v1/login", "", fields...); a.code != http.StatusForbidden {
			t.Errorf("logging out for %s: %d", what, a.code)
		}
	}
	for _, host := range []string{"evil.example", "127.0.0.1.evil.example:80"} {
		if a := b.send("GET", r.first+"/v1/tokens", "", "Host: "+host); a.code != http.StatusMisdirectedRequest {
			t.Errorf("called as %s: %d", host, a.code)
		}
	}
}

// Pages of --allow-origin call the API with a token, after a preflight without one.
func TestAllowedOrigin(t *testing.T) {
	r := newRig(t, local, false)
	_, text := r.tokenOf(access.Admin)
	b := r.browser()
	ask := []string{"Origin: https://ui.example.com", "Sec-Fetch-Site: cross-site"}
	a := b.send("OPTIONS", r.first+"/v1/tokens", "", append(ask, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type")...)
	if a.code != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "https://ui.example.com" || a.header.Get("Access-Control-Allow-Headers") != "authorization,content-type" || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("the preflight: %d %v", a.code, a.header)
	}
	a = b.send("POST", r.first+"/v1/tokens", `{"name":"x","scopes":["read"]}`, append(ask, "Authorization: Bearer "+text)...)
	if a.code != http.StatusCreated || a.header.Get("Access-Control-Allow-Origin") != "https://ui.example.com" {
		t.Errorf("with a token: %d %v %s", a.code, a.header, a.body)
	}
	if a := b.send("GET", r.first+"/v1/tokens", "", ask...); a.code != http.StatusUnauthorized || a.header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("without a token: %d %v", a.code, a.header)
	}
	a = b.send("OPTIONS", r.first+"/v1/tokens", "", "Origin: https://other.example", "Access-Control-Request-Method: POST")
	if a.code/100 != 4 || a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("the preflight of another page: %d %v", a.code, a.header)
	}
	// Recordings may be asked by pages of loopback ports; the preflight says nothing of the session.
	a = b.send("OPTIONS", r.first+"/emulate/nosuch/v1/messages", "", "Origin: http://localhost:3000", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x-api-key")
	if a.code != http.StatusNoContent || a.header.Get("Access-Control-Allow-Headers") != "x-api-key" {
		t.Errorf("the preflight to a recording: %d %v", a.code, a.header)
	}
}

// A ticket opens one path once, on either server, as who asked for it.
func TestTickets(t *testing.T) {
	r := newRig(t, local, false)
	token, text := r.tokenOf(access.Record)
	b := r.browser()
	take := func(path string) answer {
		t.Helper()
		return b.send("POST", r.first+"/v1/tickets", fmt.Sprintf(`{"path":%q}`, path), "Authorization: Bearer "+text)
	}
	ticket := func() string {
		t.Helper()
		a := take("/v1/ingest/ws")
		var got struct{ Ticket string }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.code != http.StatusCreated {
			t.Fatalf("%d %s", a.code, a.body)
		}
		return got.Ticket
	}
	for _, path := range []string{"/v1/tokens", "/v1/ingest/ws?x=1", "ws", "", "/healthz", "/nosuch", "//evil.example/v1/tokens", "/v1/../v1/ingest/ws"} {
		if a := take(path); a.code != http.StatusBadRequest && a.code != http.StatusForbidden {
			t.Errorf("a ticket for %q: %d %s", path, a.code, a.body)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	open := func(server, ticket string) (*websocket.Conn, error) {
		conn, _, err := websocket.Dial(ctx, server+"/v1/ingest/ws?session=s&dialect=generic&ticket="+ticket, nil)
		return conn, err
	}
	once := ticket()
	bounded.Until(t, "the second server knows the token", func() bool {
		return b.send("GET", r.second+"/v1/ingest/nosuch", "", "Authorization: Bearer "+text).code != http.StatusUnauthorized
	})
	conn, err := open(r.second, once)
	r.must(err)
	defer conn.CloseNow()
	for _, server := range []string{r.first, r.second} {
		if again, err := open(server, once); err == nil {
			again.CloseNow()
			t.Errorf("the ticket opens %s again", server)
		}
	}
	if a := b.send("GET", r.first+"/v1/ingest/key?ticket="+ticket(), ""); a.code != http.StatusUnauthorized || !strings.Contains(a.body, "another path") {
		t.Errorf("on another path: %d %s", a.code, a.body)
	}
	late := ticket()
	if _, err := r.tokens.Revoke(ctx, "team-a", token.ID); err != nil {
		t.Fatal(err)
	}
	if err := endOf(ctx, conn); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("after the revocation the WebSocket ended with %v", err)
	}
	if conn, err := open(r.first, late); err == nil {
		conn.CloseNow()
		t.Error("the ticket of a revoked token opens something")
	}
}

// A token in a URL is refused, on every route and whatever the parameter's name.
func TestTokenInURL(t *testing.T) {
	r := newRig(t, local, false)
	_, text := r.tokenOf(access.Admin)
	b := r.withToken(text)
	for _, address := range []string{"/v1/tokens?token=" + text, "/v1/tokens?access_token=" + text, "/healthz?x=" + text, "/v1/ingest/ws?ticket=" + text, "/v1/tokens?login=" + b.cookie(),
		"/v1/ingest/" + text, "/v1/tokens?" + text + "=1", "/v1/ingest/%74" + text[1:]} {
		a := b.send("GET", r.first+address, "")
		if a.code != http.StatusBadRequest || !strings.Contains(a.body, "Token in a URL") || strings.Contains(a.body, text) {
			t.Errorf("%s: %d %s", address[:12], a.code, a.body)
		}
	}
}

// Where browsers call by https, the cookie goes by https alone; beyond loopback there is no login
// by plain HTTP.
func TestSecureCookie(t *testing.T) {
	r := newRig(t, local, false)
	_, text := r.tokenOf(access.Read)
	public, err := login.ParsePublic("https://Deck.example.com")
	r.must(err)
	nc, err := r.broker.Connect()
	r.must(err)
	defer nc.Close()
	l, err := login.Open(login.Options{Settings: login.Settings{Public: public, Life: time.Hour, Idle: time.Hour}, Store: access.Options{NATS: nc}, Tokens: r.tokens})
	r.must(err)
	defer l.Close()
	<-l.Ready()
	logIn := func(host, from string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/login", strings.NewReader(fmt.Sprintf(`{"token":%q}`, text)))
		req.Host = host
		req.Header.Set("Origin", from)
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		l.ServeLogin(w, req)
		return w
	}
	for _, host := range []string{"deck.example.com", "127.0.0.1:4600"} { // a proxy may change it
		w := logIn(host, "https://deck.example.com")
		set := w.Header().Get("Set-Cookie")
		if w.Code != http.StatusOK || !strings.HasPrefix(set, "__Host-tapedeck=tdl_") || !strings.Contains(set, "; Secure") || !strings.Contains(set, "; HttpOnly") || strings.Contains(set, "Domain") {
			t.Errorf("by https as %s: %d %s %s", host, w.Code, set, w.Body)
		}
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/sessions", nil)
		req.Host = host
		value, _, _ := strings.Cut(strings.TrimPrefix(set, "__Host-tapedeck="), ";")
		req.Header.Set("Cookie", "__Host-tapedeck="+value)
		if got := l.TextOf(req); got != value {
			t.Errorf("the cookie is read as %q", got)
		}
		req.Header.Set("Cookie", "tapedeck="+value)
		if got := l.TextOf(req); got != "" && host == "deck.example.com" {
			t.Errorf("a cookie that another host can set is read as %q", got)
		}
	}
	for host, from := range map[string]string{"deck.example.com": "http://deck.example.com", "10.0.0.1:4600": "http://10.0.0.1:4600"} {
		if w := logIn(host, from); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("from %s: %d %s", from, w.Code, w.Body)
		}
	}
	if w := logIn("127.0.0.1:4600", "http://127.0.0.1:4600"); w.Code != http.StatusOK || strings.Contains(w.Header().Get("Set-Cookie"), "Secure") {
		t.Errorf("on loopback: %d %s", w.Code, w.Header())
	}
}

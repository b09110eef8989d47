package login_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
)

// rig is two servers with tokens on one NATS, of which the first is the public one, and an OpenID
// provider.
type rig struct {
	t      *testing.T
	broker *broker.Server
	listen net.Listener
	first  string // URL
	second string
	tokens *access.Store // of the first
	issuer string        // of the provider
}

// users are those of the provider, with their claims.
var users = map[string]any{
	"ann":  map[string]any{"groups": []string{"team-a-readers", "team-a:admins"}},
	"bob":  map[string]any{"groups": []string{"team-a-readers"}, "realm_access": map[string]any{"roles": []string{"root"}}},
	"carl": map[string]any{"groups": []string{"another"}},
}

var rules = []string{"groups=team-a-readers:tenant=team-a,scopes=read", "groups=team-a:admins:tenant=team-a,scopes=admin", "realm_access.roles=root:tenant=*,scopes=admin"}

func newRig(t *testing.T, settings login.Settings, idTokenClaims bool) *rig {
	t.Helper()
	r := &rig{t: t, broker: localtest.Broker(t, broker.Options{})}
	r.listen = r.open()
	public, err := login.ParsePublic("http://" + r.listen.Addr().String())
	r.must(err)
	if settings.Issuer == "" {
		settings.Issuer = r.provider(public.String()+login.CallbackPath, idTokenClaims)
	}
	r.issuer = settings.Issuer
	settings.Public, settings.ClientID, settings.Secret, settings.Scopes = public, "tapedeck", "secret-of-tapedeck", []string{"openid", "profile", "groups"}
	for _, text := range rules {
		rule, err := login.ParseRule(text)
		r.must(err)
		settings.Rules = append(settings.Rules, rule)
	}
	r.must(settings.Check())
	r.first, r.tokens = r.serve(r.listen, settings)
	r.second, _ = r.serve(r.open(), settings)
	return r
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) open() net.Listener {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	r.must(err)
	return l
}

// provider starts the provider and returns its issuer.
func (r *rig) provider(redirect string, idTokenClaims bool) string {
	r.t.Helper()
	if _, err := os.Stat("../../../../tools/systemtest/clients/node_modules/oidc-provider"); err != nil {
		fulltest.Missing(r.t, "the OpenID provider is not installed: \"make clients\" installs it")
	}
	config, err := json.Marshal(map[string]any{"redirect": redirect, "users": users, "idTokenClaims": idTokenClaims})
	r.must(err)
	cmd := exec.Command("node", "openid.mjs", string(config))
	cmd.Dir = "../../../../tools/systemtest/clients"
	stdin, err := cmd.StdinPipe()
	r.must(err)
	stdout, err := cmd.StdoutPipe()
	r.must(err)
	var said bytes.Buffer
	cmd.Stderr = &said
	r.must(cmd.Start())
	r.t.Cleanup(func() {
		_ = stdin.Close()
		_ = bounded.Command(r.t, cmd) // its exit code is not examined
		if r.t.Failed() {
			r.t.Logf("the provider printed:\n%s", said.String())
		}
	})
	return bounded.Line(r.t, cmd, bufio.NewReader(stdout))
}

// serve starts a server that ends with the test.
func (r *rig) serve(l net.Listener, settings login.Settings) (string, *access.Store) {
	r.t.Helper()
	log := slog.New(slog.DiscardHandler)
	n, err := node.Start(r.t.Context(), node.Config{
		Roles: node.Roles{Ingest: true}, Connect: func(o ...nats.Option) (*nats.Conn, error) { return r.broker.Connect(o...) },
		DSN: "clickhouse://127.0.0.1:1/none", SpoolDir: r.t.TempDir(), Streams: jetstream.Config{MaxBytes: 1 << 28}, Version: "test", Log: log,
	})
	r.must(err)
	guards, err := server.OpenGuards(server.GuardOptions{NATS: n.NATS, Login: settings, Audit: n.Audit, Log: log})
	r.must(err)
	guards.Ready(nil, nil)
	s := server.New(server.Options{
		Node: n, Listener: l, Log: log, Guards: guards, Origins: []string{"https://ui.example.com"}, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000}),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, &server.StopClock{}, nil) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	})
	return s.URL(), guards.Tokens
}

// browser is a browser with cookies of its own.
type browser struct {
	rig    *rig
	client *http.Client
	jar    *cookiejar.Jar
}

func (r *rig) browser() *browser {
	r.t.Helper()
	jar, err := cookiejar.New(nil)
	r.must(err)
	transport := &http.Transport{}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &browser{r, &http.Client{Transport: transport, Jar: jar, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, jar}
}

// answer is an answer with its body.
type answer struct {
	code   int
	header http.Header
	body   string
}

// send sends a request; fields are "Name: value".
func (b *browser) send(method, address, body string, fields ...string) answer {
	b.rig.t.Helper()
	req, err := http.NewRequestWithContext(b.rig.t.Context(), method, address, strings.NewReader(body))
	b.rig.must(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := b.client.Do(req)
	b.rig.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	b.rig.must(err)
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// page sends a request as a page of the first server does.
func (b *browser) page(method, path, body string) answer {
	b.rig.t.Helper()
	return b.send(method, b.rig.first+path, body, "Origin: "+b.rig.first, "Sec-Fetch-Site: same-origin")
}

// toProvider begins a login and returns the address at the provider that the browser is sent to.
func (b *browser) toProvider(back string) string {
	b.rig.t.Helper()
	a := b.send("GET", b.rig.first+login.StartPath+"?return="+url.QueryEscape(back), "")
	if a.code != http.StatusSeeOther {
		b.rig.t.Fatalf("begin a login: %d %s", a.code, a.body)
	}
	return a.header.Get("Location")
}

// atProvider logs in at the provider and returns the address of the callback.
func (b *browser) atProvider(address, user string) string {
	b.rig.t.Helper()
	for range 10 {
		if strings.HasPrefix(address, b.rig.first) {
			return address
		}
		a := b.send("GET", address, "")
		if a.code == http.StatusOK && strings.Contains(a.body, "<form") {
			form := url.Values{"user": {user}, "password": {"pw"}}
			a = b.send("POST", address, form.Encode(), "Content-Type: application/x-www-form-urlencoded")
		}
		if a.code/100 != 3 {
			b.rig.t.Fatalf("%s at the provider: %d %s", address, a.code, a.body)
		}
		to, err := url.Parse(address)
		b.rig.must(err)
		to, err = to.Parse(a.header.Get("Location"))
		b.rig.must(err)
		address = to.String()
	}
	b.rig.t.Fatal("the provider goes round in circles")
	return ""
}

// logIn logs in as a user of the provider, and returns the last answer.
func (b *browser) logIn(user string) answer {
	b.rig.t.Helper()
	return b.send("GET", b.atProvider(b.toProvider("/bills?number=1"), user), "")
}

// who returns who the server says the browser is.
func (b *browser) who() *login.Identity {
	b.rig.t.Helper()
	var state login.State
	a := b.page("GET", "/v1/login", "")
	if err := json.Unmarshal([]byte(a.body), &state); err != nil || a.code != http.StatusOK {
		b.rig.t.Fatalf("%d %s: %v", a.code, a.body, err)
	}
	return state.Principal
}

// cookie returns the value of the login's cookie.
func (b *browser) cookie() string {
	at, err := url.Parse(b.rig.first)
	b.rig.must(err)
	for _, c := range b.jar.Cookies(at) {
		if c.Name == "tapedeck" {
			return c.Value
		}
	}
	return ""
}

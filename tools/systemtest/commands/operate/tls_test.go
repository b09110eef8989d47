package operate

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/settings"
	"tapedeck/internal/bounded"
	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// agent is a server over TLS that asks its clients for a certificate: of events at /events, of
// a WebSocket at /socket, and of an answer anywhere else.
func agent(t *testing.T, ca *certstest.Authority) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"a\":1}\n\ndata: [DONE]\n\n")
		case "/socket":
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			_ = conn.Write(r.Context(), websocket.MessageText, []byte(`{"a":1}`))
			_ = conn.Close(websocket.StatusNormalClosure, "")
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"answer":true}`)
		}
	}))
	s.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool(),
		Certificates: []tls.Certificate{ca.TLS(ca.Issue(time.Hour, "127.0.0.1"))},
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// All commands reach a server over TLS that asks for a certificate, and record from such
// servers; the certificates, the authority and the token are in files that variables name.
func TestCommandsOverTLS(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	ca, other := certstest.New(t, "ca"), certstest.New(t, "other")
	dir := filepath.Join(t.TempDir(), "data")
	cert, key := ca.Save(t.TempDir(), ca.Issue(time.Hour, "127.0.0.1"))
	own := t.TempDir()
	clientCert, clientKey := ca.Save(own, ca.Issue(time.Hour, "client"))
	authority := ca.File(own)
	pair, err := tls.LoadX509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	s, err := commandtest.StartWith(t, client, dir, "--tokens", "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", authority, "--tls-min-version", "1.3")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	trust := []string{
		"TAPEDECK_CA=" + authority, "TAPEDECK_CLIENT_CERT=" + clientCert, "TAPEDECK_CLIENT_KEY=" + clientKey,
		"TAPEDECK_TOKEN_FILE=" + filepath.Join(dir, "admin-token"),
	}
	run := func(env []string, args ...string) (string, string, int) {
		t.Helper()
		cmd := s.Command(t, args...)
		cmd.Env = append(cmd.Env, env...)
		return commandtest.Finish(t, cmd)
	}
	must := func(args ...string) string {
		t.Helper()
		out, diag, exit := run(trust, args...)
		if exit != 0 {
			t.Fatalf("tapedeck %s: exit %d\n%s%s", strings.Join(args, " "), exit, out, diag)
		}
		return out
	}
	source := agent(t, ca)
	must("record", "--session", "file", commandtest.TextFile(t, []byte("{\"a\":1}\n")))
	must("record", "--session", "sse", "--sse", source.URL+"/events")
	must("record", "--session", "ws", "--once", "--ws", "wss"+strings.TrimPrefix(source.URL, "https")+"/socket")
	for _, id := range []string{"file", "sse", "ws"} {
		if out := must("play", id, "--speed", "max"); !strings.Contains(out, `"a"`) {
			t.Errorf("play %s: %q", id, out)
		}
	}
	tape := filepath.Join(t.TempDir(), "x.tape")
	must("export", "file", "-o", tape)
	must("import", tape, "--session", "copy")
	for _, args := range [][]string{{"sessions"}, {"show", "copy"}, {"frames", "ws"}, {"usage"}, {"bills", "list"}, {"tokens", "list"}, {"redecode", "file"}} {
		must(args...)
	}
	if body := proxied(t, s, trust, source.URL); body != `{"answer":true}` {
		t.Errorf("through the proxy: %q", body)
	}

	wrong := other.File(t.TempDir())
	for what, env := range map[string][]string{
		"certificate":              append([]string{trust[0]}, trust[3]),
		"trusted authority":        trust[1:],
		"right authority to trust": append([]string{"TAPEDECK_CA=" + wrong}, trust[1:]...),
		"token":                    trust[:3],
	} {
		for _, args := range [][]string{{"sessions"}, {"record", "--no-spool", "--session", "refused", commandtest.TextFile(t, []byte("{\"a\":1}\n"))}} {
			if out, diag, exit := run(env, args...); exit == 0 || diag == "" {
				t.Errorf("tapedeck %s without the %s: exit %d, %q, %q", args[0], what, exit, out, diag)
			}
		}
		if what == "token" {
			continue
		}
		if _, diag, exit := run(env, "record", "--no-spool", "--session", "refused", "--sse", source.URL+"/events"); exit == 0 || !strings.Contains(diag, "certificate") {
			t.Errorf("tap without the %s: exit %d, %q", what, exit, diag)
		}
	}
	for _, args := range [][]string{
		{"sessions", "--ca", key}, {"sessions", "--client-cert", clientCert}, {"sessions", "--token-file", filepath.Join(own, "none")},
	} {
		if _, diag, exit := run(nil, args...); exit != commandtest.ExitUsage || !strings.Contains(diag, args[1]) {
			t.Errorf("%v: exit %d, %q", args, exit, diag)
		}
	}
}

// proxied asks an upstream through a proxy, and returns the body of the answer.
func proxied(t *testing.T, s *commandtest.Instance, env []string, upstream string) string {
	t.Helper()
	cmd := s.Command(t, "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0", "--session", "proxied")
	cmd.Env = append(cmd.Env, env...)
	said := &commandtest.LogBuffer{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := bounded.Command(t, cmd); err != nil {
			t.Errorf("%v: %s", err, said)
		}
	}()
	var url string
	bounded.Until(t, "the proxy listens", func() bool {
		var ok bool
		url, _, ok = strings.Cut(said.String(), " records")
		return ok
	})
	resp, err := http.Get(url + "/v1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Settings of TLS that do not fit together are refused before anything is opened, and a server
// on the network without TLS warns.
func TestTLSSettings(t *testing.T) {
	t.Parallel()
	ca := certstest.New(t, "ca")
	dir := t.TempDir()
	cert, key := ca.Save(dir, ca.Issue(time.Hour, "127.0.0.1"))
	_, otherKey := ca.Save(t.TempDir(), ca.Issue(time.Hour, "127.0.0.1"))
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"up", "--tls-cert", cert}, "--tls-key"},
		{[]string{"up", "--tls-cert", cert, "--tls-key", otherKey}, "private key does not match"},
		{[]string{"up", "--tls-client-ca", ca.File(dir)}, "--tls-cert"},
		{[]string{"up", "--tls-cert", cert, "--tls-key", key, "--tls-min-version", "1.1"}, "1.2"},
		{[]string{"serve", "--nats-cert", cert}, "--nats-key"},
		{[]string{"serve", "--nats-ca", filepath.Join(dir, "none")}, "--nats-ca"},
		{[]string{"serve", "--nats-credentials", filepath.Join(dir, "none")}, "--nats-credentials"},
		{[]string{"serve", "--clickhouse-ca", key}, "--clickhouse-ca"},
		{[]string{"serve", "--clickhouse-password-file", filepath.Join(dir, "none")}, "--clickhouse-password-file"},
		{[]string{"migrate", "--clickhouse-key", key}, "--clickhouse-cert"},
	} {
		s := &commandtest.Instance{Dir: filepath.Join(t.TempDir(), "data")}
		_, diag, exit := s.Run(t, append(c.args, dataOf(c.args[0], s.Dir)...)...)
		if exit != commandtest.ExitUsage || !strings.Contains(diag, c.says) {
			t.Errorf("%v: exit %d, %q; want %q", c.args, exit, diag, c.says)
		}
	}
}

func dataOf(command, dir string) []string {
	if command == "migrate" {
		return nil
	}
	return []string{"--data", dir, "--listen", "127.0.0.1:0"}
}

// The password of ClickHouse and NATS's user come from files, not from the command line.
func TestSecretsInFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for dsn, want := range map[string]string{
		"clickhouse://127.0.0.1:9000/x": "clickhouse://default:s%3Acret%40@127.0.0.1:9000/x",
		"clickhouse://u@127.0.0.1:9000": "clickhouse://u:s%3Acret%40@127.0.0.1:9000",
	} {
		f := settings.ClickHouseServer{ClickHouse: dsn, ClickHousePasswordFile: file("password", "s:cret@\n")}
		if err := f.Complete(nil); err != nil || f.ClickHouse != want {
			t.Errorf("%s: %s, %v", dsn, f.ClickHouse, err)
		}
	}
	for text, want := range map[string]string{"user:pass:word\n": "user pass:word ", "token\n": "  token"} {
		f := settings.NATSClient{NATSCredentials: file("credentials", text)}
		options, err := f.ConnectOptions(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := identity(t, options); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// identity returns user, password and token that options have a connection send.
func identity(t *testing.T, options []nats.Option) string {
	t.Helper()
	var o nats.Options
	for _, set := range options {
		if err := set(&o); err != nil {
			t.Fatal(err)
		}
	}
	var user, password, token string
	if o.UserInfo != nil {
		user, password = o.UserInfo()
	}
	if o.TokenHandler != nil {
		token = o.TokenHandler()
	}
	return fmt.Sprintf("%s %s %s", user, password, token)
}

// A server on the network without TLS logs what to do.
func TestWarnsOfPlainTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen string
		flags  settings.ServerTLS
		warns  bool
	}{
		{"0.0.0.0:0", settings.ServerTLS{}, true}, {"127.0.0.1:0", settings.ServerTLS{}, false}, {"0.0.0.0:0", settings.ServerTLS{TLSCert: "cert.pem"}, false},
	} {
		l, err := net.Listen("tcp", c.listen)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		c.flags.WarnPlain(l, false, slog.New(slog.NewTextHandler(&said, nil)))
		_ = l.Close()
		if strings.Contains(said.String(), "--tls-cert") != c.warns {
			t.Errorf("%+v: %q", c, said.String())
		}
	}
}

package operate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A server with tokens: the first one is in the data directory, and all commands send theirs.
func TestTokens(t *testing.T) {
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := commandtest.StartUp(t, dir, "--tokens")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	path := filepath.Join(dir, "admin-token")
	text, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("admin-token: %v, %v", err, statErr)
	}
	admin := strings.TrimSpace(string(text))
	with := func(token string, args ...string) (string, string, int) {
		t.Helper()
		cmd := s.Command(t, args...)
		cmd.Env = append(cmd.Env, "TAPEDECK_TOKEN="+token)
		return commandtest.Finish(t, cmd)
	}
	must := func(token string, args ...string) string {
		t.Helper()
		out, diag, exit := with(token, args...)
		if exit != 0 {
			t.Fatalf("tapedeck %s: exit %d\n%s%s", strings.Join(args, " "), exit, out, diag)
		}
		return strings.TrimSpace(out)
	}
	recorder := must(admin, "tokens", "create", "recorder", "--tenant", "acme", "--scope", "record", "--expires-in", "90d")
	reader := must(admin, "tokens", "create", "reader", "--tenant", "acme", "--scope", "read:raw")
	other := must(admin, "tokens", "create", "other", "--tenant", "other", "--scope", "admin")
	file := commandtest.TextFile(t, []byte("{\"a\":1}\n{\"a\":2}\n"))
	must(recorder, "record", "--no-wait", "--session", "x", file)
	bounded.Until(t, "the recording shows", func() bool {
		_, _, exit := with(reader, "show", "x")
		return exit == 0
	})
	tape := filepath.Join(t.TempDir(), "x.tape")
	for _, args := range [][]string{
		{"sessions"}, {"frames", "x"}, {"play", "x", "--speed", "max"}, {"export", "x", "-o", tape}, {"usage"}, {"tools"}, {"prices"},
	} {
		if out, diag, exit := with(reader, args...); exit != 0 {
			t.Errorf("tapedeck %s: exit %d\n%s%s", strings.Join(args, " "), exit, out, diag)
		}
		if _, diag, exit := with("", args...); exit != commandtest.ExitFailed || !strings.Contains(diag, "TAPEDECK_TOKEN") && args[0] != "export" {
			t.Errorf("tapedeck %s without a token: exit %d, %q", args[0], exit, diag)
		}
	}
	must(recorder, "import", tape, "--session", "y")
	must(admin, "show", "x", "--as-tenant", "acme")
	if _, _, exit := with(admin, "show", "x"); exit != commandtest.ExitFailed {
		t.Errorf("the administrator's token without --as-tenant: exit %d", exit)
	}
	if _, diag, exit := with(other, "show", "x", "--as-tenant", "acme"); exit != commandtest.ExitFailed || !strings.Contains(diag, "of the tenant other") {
		t.Errorf("another tenant's token with --as-tenant: exit %d, %q", exit, diag)
	}
	if _, diag, exit := with(other, "show", "x"); exit != commandtest.ExitFailed || !strings.Contains(diag, "x") {
		t.Errorf("another tenant: exit %d, %q", exit, diag)
	}
	for what, token := range map[string]string{"none": "", "of the wrong scope": reader} {
		if _, diag, exit := with(token, "record", "--no-spool", "--session", "z", file); exit == 0 || !strings.Contains(diag, "record") {
			t.Errorf("recording with a token %s: exit %d, %q", what, exit, diag)
		}
	}
	if list := strings.Split(must(admin, "tenants"), "\n"); len(list) != 3 || !strings.HasPrefix(list[1], "acme ") || !strings.HasPrefix(list[2], "other ") || !strings.Contains(list[2], "none") {
		t.Errorf("the tenants, to the administrator: %q", list)
	}
	if list := strings.Split(must(other, "tenants", "list"), "\n"); len(list) != 2 || !strings.HasPrefix(list[1], "other ") {
		t.Errorf("the tenants, to an administrator of one: %q", list)
	}
	if text := must(admin, "tenants", "--json"); !strings.Contains(text, `"name":"acme"`) {
		t.Errorf("the tenants, as JSON: %s", text)
	}
	if _, diag, exit := with(reader, "tenants"); exit != commandtest.ExitFailed || !strings.Contains(diag, "needs the scope admin") {
		t.Errorf("the tenants, without the scope admin: exit %d, %q", exit, diag)
	}
	address := must(reader, "share", "create", "x", "--note", "look")
	if !strings.HasPrefix(address, s.URL+"/share#tds_") {
		t.Errorf("the shared link: %q", address)
	}
	_, link, _ := strings.Cut(address, "#")
	links := must(reader, "share", "list", "--session", "x")
	if !strings.Contains(links, "look") || strings.Contains(links, link) {
		t.Errorf("the list of links:\n%s", links)
	}
	must(link, "show", "x")
	if _, diag, exit := with(link, "sessions"); exit != commandtest.ExitFailed {
		t.Errorf("the list of sessions with a shared link: exit %d, %q", exit, diag)
	}
	for line := range strings.Lines(links) {
		if strings.Contains(line, "look") {
			must(reader, "share", "revoke", strings.Fields(line)[0])
		}
	}
	if _, diag, exit := with(link, "show", "x"); exit != commandtest.ExitFailed || !strings.Contains(diag, "revoked") {
		t.Errorf("with the revoked link: exit %d, %q", exit, diag)
	}
	list := must(admin, "tokens", "list")
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "reader" {
			must(admin, "tokens", "revoke", fields[0])
		}
	}
	if _, diag, exit := with(reader, "sessions"); exit != commandtest.ExitFailed || !strings.Contains(diag, `"reader" was revoked`) {
		t.Errorf("with the revoked token: exit %d, %q", exit, diag)
	}
	if strings.Contains(s.Log.String(), admin) {
		t.Error("the log holds the administrator's token")
	}
	// The pages are the program alone, which asks for a login; what they show is not there without one.
	if status, body, header := s.Get(t, "/", "Accept", "text/html"); status != 200 || !strings.Contains(string(body), "<title>tapedeck") || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %d %s", status, body)
	}
	if status, body, header := s.Get(t, "/v1/sessions", "Accept", "text/html"); status != 401 || !strings.Contains(string(body), "/login") || header.Get("WWW-Authenticate") == "" {
		t.Errorf("its data: %d %s", status, body)
	}
}

// Settings of logins that cannot work end the start, with the flag that is at fault.
func TestLoginSettings(t *testing.T) {
	t.Parallel()
	empty := commandtest.TextFile(t, nil)
	good := []string{"--tokens", "--public-url", "https://tapedeck.example.com", "--oidc-issuer", "https://login.example.com", "--oidc-client-id", "c", "--oidc-grant", "groups=a:tenant=a,scopes=read"}
	for want, args := range map[string][]string{
		"--public-url \"tapedeck.example.com\"":       {"--tokens", "--public-url", "tapedeck.example.com"},
		"--allow-origin \"https://ui/x\"":             {"--tokens", "--allow-origin", "https://ui/x"},
		"--allow-origin \"*\"":                        {"--allow-origin", "*"},
		"--allow-origin \"null\"":                     {"--allow-origin", "null"},
		"--oidc-grant \"groups=a\"":                   append(good, "--oidc-grant", "groups=a"),
		"there is no scope \"write\"":                 append(good, "--oidc-grant", "groups=a:tenant=a,scopes=write"),
		"needs --oidc-client-id":                      {"--tokens", "--public-url", "https://tapedeck.example.com", "--oidc-issuer", "https://login.example.com"},
		"needs --public-url":                          {"--tokens", "--oidc-issuer", "https://login.example.com", "--oidc-client-id", "c", "--oidc-grant", "groups=a:tenant=a,scopes=read"},
		"--oidc-client-secret-file: there is no file": append(good, "--oidc-client-secret-file", "nosuch/file"),
		"is empty; write the secret into it":          append(good, "--oidc-client-secret-file", empty),
		"--login-idle 1s: both must be 5m0s or more":  {"--tokens", "--login-idle", "1s"},
	} {
		cmd := exec.CommandContext(t.Context(), programtest.Path(t), append([]string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)...)
		cmd.Env = os.Environ()
		if _, diag, exit := commandtest.Finish(t, cmd); exit != commandtest.ExitUsage || !strings.Contains(diag, want) {
			t.Errorf("%v: exit %d, %q, want %s", args, exit, diag, want)
		}
	}
}

// Beyond loopback a server listens with tokens only.
func TestListenNeedsTokens(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"up", "--listen", "0.0.0.0:0"}, {"serve", "--listen", "[::]:0"}, {"up", "--allow-host", "tapedeck.example.com"},
		{"serve", "--public-url", "https://tapedeck.example.com"}, {"up", "--oidc-issuer", "https://login.example.com"},
	} {
		cmd := exec.CommandContext(t.Context(), programtest.Path(t), append(args, "--data", t.TempDir())...)
		cmd.Env = os.Environ()
		if _, diag, exit := commandtest.Finish(t, cmd); exit != commandtest.ExitUsage || !strings.Contains(diag, "--tokens") {
			t.Errorf("%v: exit %d, %q", args, exit, diag)
		}
	}
}

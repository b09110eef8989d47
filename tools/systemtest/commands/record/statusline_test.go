package record

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/bounded"
	"tapedeck/internal/problem"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The status line has what the server recorded of the session once that was asked for in the background, and
// what Claude Code states where the server does not answer. A line that is printed ends with exit code 0:
// otherwise Claude Code shows none.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	h.write(t, c.path(), c.asks("Count")+c.says("One.")+c.says("Two."))
	h.sync(t)
	input := fmt.Sprintf(`{"session_id":%q,"model":{"display_name":"Opus"},"cost":{"total_cost_usd":0.5},"context_window":{"used_percentage":7}}`, c.session)
	line := func(args ...string) (stdout, stderr string, exit int) {
		cmd := h.command(t)
		cmd.Args, cmd.Stdin = append(append(cmd.Args[:1:1], "statusline"), args...), strings.NewReader(input)
		return commandtest.Finish(t, cmd)
	}
	until := func(want string, args ...string) {
		t.Helper()
		bounded.Until(t, "the line is "+want, func() bool {
			stdout, stderr, exit := line(args...)
			if exit != 0 || stderr != "" {
				t.Fatalf("exit %d, %q, %q", exit, stdout, stderr)
			}
			return strings.Contains(stdout, want)
		})
	}
	if stdout, _, _ := line(); stdout != "Opus · session $0.50 stated · today: asking the server · context 7%\n" {
		t.Errorf("the first line: %q", stdout)
	}
	until("Opus · session 220 tokens $0.0") // 200 of input, 20 of output
	until(" · today ")
	until("Opus · session $0.50 stated · today: server away · context 7%\n", "--server", "http://127.0.0.1:1")
	of := tenantServer(t, "s3cret")
	secret := h.write(t, "token", "s3cret\n")
	until("today: server answers 401", "--server", of)
	until("today 11 tokens", "--server", of, "--token-file", secret, "--as-tenant", "t11")
	until("today 22 tokens", "--server", of, "--token", "s3cret", "--as-tenant", "t22")
	if stdout, _, _ := line("--server", of, "--token-file", secret, "--as-tenant", "t11"); !strings.Contains(stdout, "today 11 tokens") {
		t.Errorf("the line of the tenant t11: %q", stdout)
	}
	input = "{"
	if stdout, stderr, exit := line(); exit == 0 || stdout != "" || !strings.Contains(stderr, "not what Claude Code writes") {
		t.Errorf("half an object: exit %d, %q, %q", exit, stdout, stderr)
	}
}

// tenantServer starts a server that answers only requests with a token. All usage of the tenant tN is N tokens.
func tenantServer(t *testing.T, token string) (address string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set(problem.ServerHeader, "1")
		switch tenant := r.Header.Get(apiclient.TenantHeader); {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"title":"Unauthorized","status":401}`)
		case r.URL.Path != "/v1/usage":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"title":"Not Found","status":404}`)
		default:
			fmt.Fprintf(w, `{"totals":{"calls":1,"tokens":{"total":%s}}}`, strings.TrimPrefix(tenant, "t"))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

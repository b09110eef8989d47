package operate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A running server takes new rules for secrets, limits of statements and times of clients: streams
// that begin then are masked by the new rules, also when only the file of rules has changed.
func TestReloadRules(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	file, rules := filepath.Join(dir, "tapedeck.yaml"), filepath.Join(dir, "rules.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path+".next", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".next", path); err != nil {
			t.Fatal(err)
		}
	}
	rule := func(keyword string) string {
		return fmt.Sprintf("rules:\n  - {id: own-key, keywords: [%s], pattern: \"[a-z0-9]{16}\"}\n", keyword)
	}
	write(rules, rule("acme_"))
	write(file, "body-timeout: 10m\n")
	s, err := commandtest.StartUp(t, filepath.Join(dir, "data"), "--config", file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	logged := func(text string) {
		t.Helper()
		bounded.Until(t, "the log of "+text, func() bool { return strings.Contains(s.Log.String(), text) })
	}
	const acme, other = "acme_0123456789abcdef", "other_0123456789abcdef"
	frames := func(session, want string) {
		t.Helper()
		s.Post(t, "/v1/ingest?session="+session, []byte(`{"a":"`+acme+`","b":"`+other+`"}`+"\n"))
		var body []byte
		bounded.Until(t, "the frame of "+session, func() bool {
			var status int
			status, body, _ = s.Get(t, "/v1/sessions/"+session+"/frames?raw=1")
			return status == http.StatusOK && len(body) > 0
		})
		if string(body) != want+"\n" {
			t.Errorf("%s: %s, want %s", session, body, want)
		}
	}
	frames("before", `{"a":"`+acme+`","b":"`+other+`"}`)
	frames("also-before", `{"a":"`+acme+`","b":"`+other+`"}`)

	write(file, "body-timeout: 1s\nheader-timeout: 7s\nquery-rows: 1\nredact-rule: "+rules+"\n")
	logged(`changed="body-timeout, query-rows, redact-rule"`)
	logged("need a restart\" settings=header-timeout")
	status, _, _ := s.Get(t, "/v1/sessions")
	if refused := s.Metric(t, `tapedeck_query_limits_total{limit="query-rows"}`); status == http.StatusOK || refused == 0 {
		t.Errorf("a list of sessions with query-rows 1: %d, %v statements were ended", status, refused)
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /v1/usage/reconciliation HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\nhalf")
	bounded.Wait(t, func() { _, _ = io.Copy(io.Discard, c) })
	if n := s.Metric(t, `tapedeck_slow_clients_total{limit="body-timeout"}`); n != 1 {
		t.Errorf("%v bodies timed out, want 1", n)
	}

	write(file, "body-timeout: 1s\nredact-rule: "+rules+"\n")
	logged("changed=query-rows")
	frames("acme", `{"a":"[redacted:own-key#1]","b":"`+other+`"}`)
	write(rules, rule("other_"))
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged("changed=redact-rule")
	frames("other", `{"a":"`+acme+`","b":"[redacted:own-key#1]"}`)

	write(rules, "rules: 7\n")
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged("settings: not reloaded")
	frames("kept", `{"a":"`+acme+`","b":"[redacted:own-key#1]"}`)
}

package operate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// ask reads answers of the API that a restore must bring back as they were.
func ask(t *testing.T, s *commandtest.Instance, header []string, paths ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range paths {
		status, body, _ := s.Get(t, path, header...)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		all[path] = string(body)
	}
	return all
}

// An installation of several tenants, with tokens, a shared link and prices, is lost and
// restored. The API answers about everything as before.
func TestBackupAndRestore(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	s, err := commandtest.StartUp(t, filepath.Join(dir, "data"), "--tokens")
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			_, _ = s.Stop()
		}
	})
	text, err := os.ReadFile(filepath.Join(s.Dir, "admin-token"))
	if err != nil {
		t.Fatal(err)
	}
	admin := strings.TrimSpace(string(text))
	as := func(tenant string) []string { return []string{"--token", admin, "--as-tenant", tenant} }
	header := func(tenant string) []string {
		return []string{"Authorization", "Bearer " + admin, "Tapedeck-Tenant", tenant}
	}
	prices := filepath.Join(dir, "prices.yaml")
	if err := os.WriteFile(prices, []byte("margins:\n  - {name: all, factor: 1.5}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Must(t, append(as("acme"), "prices", "import", prices)...)
	before := map[string]map[string]string{}
	views := map[string]map[string]string{}
	for _, tenant := range []string{"acme", "globex"} {
		file := commandtest.TextFile(t, []byte(`{"type":"note","of":"`+tenant+`"}`+"\n"+commandtest.AwkwardLines))
		s.Must(t, "--token", tokenOf(t, s, admin, tenant), "record", "--tenant", tenant, "--session", "of "+tenant, "--tag", "k="+tenant, file)
		s.Must(t, "--token", tokenOf(t, s, admin, tenant), "record", "--tenant", tenant, commandtest.TextFile(t, []byte(
			`{"type":"thread.started","thread_id":"th-`+tenant+`"}`+"\n"+`{"type":"turn.started"}`+"\n"+
				`{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":5}}`+"\n")))
		bounded.Until(t, "the sessions of "+tenant, func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape("of "+tenant), header(tenant)...)
			return status == http.StatusOK && !strings.Contains(string(body), `"end_reason":""`)
		})
	}
	s.Must(t, append(as("acme"), "share", "create", "of acme")...)
	s.Must(t, append(as("globex"), "tokens", "create", "reader", "--scope", "read")...)
	paths := func(tenant string) []string {
		id := url.PathEscape("of " + tenant)
		return []string{"/v1/sessions/" + id + "/frames?limit=5000", "/v1/sessions/" + id + "/transcript", "/v1/usage?group_by=session", "/v1/prices?at=2026-06-01T00:00:00Z", "/v1/retention"}
	}
	lists := []string{"/v1/tokens", "/v1/shares", "/v1/bills"}
	out := s.Must(t, append(as("acme"), "backup", "full")...)
	if !strings.Contains(out, "backup full: ") || strings.Contains(out, "note:") {
		t.Errorf("backup says\n%s", out)
	}
	for _, tenant := range []string{"acme", "globex"} {
		before[tenant] = ask(t, s, header(tenant), paths(tenant)...)
		views[tenant] = ask(t, s, header(tenant), lists[1:]...)
	}
	if metricText(t, s, header("acme"), "tapedeck_backup_last_success_timestamp_seconds") == "0" {
		t.Error("the metric of the last backup is 0")
	}
	s.Must(t, append(as("acme"), "backup", "hourly/1", "--base", "full")...)
	if list := strings.Split(s.Must(t, append(as("acme"), "backup", "list")...), "\n"); len(list) < 3 ||
		!strings.Contains(list[1], "hourly/1") || !strings.Contains(list[1], "done") || !strings.Contains(list[2], " full ") {
		t.Errorf("backup list:\n%s", strings.Join(list, "\n"))
	}
	_, diag, exit := s.Run(t, append(as("acme"), "backup", "full")...)
	if exit != commandtest.ExitFailed || !strings.Contains(diag, "never overwritten") {
		t.Errorf("a name that is taken: exit %d, %s", exit, diag)
	}
	for _, bad := range [][]string{{"../x"}, {"s3://b/x"}, {"https://u:p@h/b"}} {
		if _, diag, exit := s.Run(t, append(as("acme"), append([]string{"backup"}, bad...)...)...); exit != commandtest.ExitUsage {
			t.Errorf("backup %v: exit %d, %s", bad, exit, diag)
		}
	}
	backups := filepath.Join(s.Dir, "backups")
	if _, diag, exit := s.Run(t, "restore", "full", "--data", s.Dir); exit != commandtest.ExitFailed || !strings.Contains(diag, "in use") {
		t.Errorf("restore into a directory in use: exit %d, %s", exit, diag)
	}
	stopped = true
	if _, err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, diag, exit := s.Run(t, "restore", "full", "--data", s.Dir); exit != commandtest.ExitFailed || !strings.Contains(diag, "is not empty") {
		t.Errorf("restore over an installation: exit %d, %s", exit, diag)
	}
	if out := s.Must(t, "verify", "hourly/1", "--backups", backups); !strings.Contains(out, "verified hourly/1") {
		t.Errorf("verify says\n%s", out)
	}

	for command, flag := range map[string]string{"verify": "--backups DIR", "restore": "--data DIR"} {
		_, diag, exit := s.Run(t, command, "full", "--clickhouse", "clickhouse://127.0.0.1:1/default")
		if exit != commandtest.ExitFailed || !strings.Contains(diag, flag) {
			t.Errorf("%s without servers: exit %d, %s, want %q", command, exit, diag, flag)
		}
	}

	fresh := filepath.Join(dir, "restored")
	for _, args := range [][]string{{"no-such"}, {"full", "--erasures", "no-such"}} {
		_, diag, exit := s.Run(t, append([]string{"restore", "--data", fresh, "--backups", backups}, args...)...)
		if _, err := os.Stat(fresh); exit != commandtest.ExitFailed || !strings.Contains(diag, "no complete backup is there by the name no-such") || !os.IsNotExist(err) {
			t.Errorf("restore %q: exit %d, %s; the data directory: %v", args, exit, diag, err)
		}
	}
	if out := s.Must(t, "restore", "hourly/1", "--data", fresh, "--backups", backups); !strings.Contains(out, "every session is as it was backed up") {
		t.Errorf("restore says\n%s", out)
	}
	r, err := commandtest.StartUp(t, fresh, "--tokens")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Stop() })
	for _, tenant := range []string{"acme", "globex"} {
		commandtest.SameViews(t, "of "+tenant, ask(t, r, header(tenant), paths(tenant)...), before[tenant])
		commandtest.SameViews(t, "of "+tenant, ask(t, r, header(tenant), lists[1:]...), views[tenant])
	}
	checkMove(t, r, admin, "acme", "moved")
	status, body, _ := r.Get(t, "/v1/tokens", header("globex")...)
	if status != http.StatusOK || !strings.Contains(string(body), `"reader"`) {
		t.Errorf("tokens after the restore: %d %s", status, body)
	}
	status, body, _ = r.Get(t, "/v1/audit", header("acme")...)
	if status != http.StatusOK || !strings.Contains(string(body), `"share.create"`) {
		t.Errorf("audit log after the restore: %d %.500s", status, body)
	}
}

// All sessions of a tenant move to another one by a tape, frame by frame.
func checkMove(t *testing.T, s *commandtest.Instance, admin, from, to string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.tape")
	s.Must(t, "--token", admin, "--as-tenant", from, "export", "--all", "-o", path)
	s.Must(t, "--token", tokenOf(t, s, admin, to), "import", "--tenant", to, path)
	hash := func(tenant string) map[string]string {
		var page struct{ Items []struct{ ID string } }
		_, body, _ := s.Get(t, "/v1/sessions", "Authorization", "Bearer "+admin, "Tapedeck-Tenant", tenant)
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, item := range page.Items {
			_, frames, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(item.ID)+"/frames?limit=5000", "Authorization", "Bearer "+admin, "Tapedeck-Tenant", tenant)
			all[item.ID] = fmt.Sprintf("%x", sha256.Sum256(frames))
		}
		return all
	}
	want := hash(from)
	if len(want) != 2 {
		t.Errorf("tenant %s has the sessions %v", from, want)
	}
	commandtest.SameViews(t, "moved to "+to, hash(to), want)
}

// tokenOf makes a token of a tenant.
func tokenOf(t *testing.T, s *commandtest.Instance, admin, tenant string) string {
	t.Helper()
	return strings.TrimSpace(s.Must(t, "--token", admin, "tokens", "create", "of "+tenant, "--tenant", tenant, "--scope", "record", "--scope", "read:raw", "--scope", "read"))
}

// metricText reads one metric as its text, of a server with tokens.
func metricText(t *testing.T, s *commandtest.Instance, header []string, name string) string {
	t.Helper()
	_, body, _ := s.Get(t, "/metrics", header...)
	for line := range strings.Lines(string(body)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(text)
		}
	}
	t.Errorf("there is no metric %s", name)
	return ""
}

package report

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// changing matches what differs between two answers on the same data.
var changing = regexp.MustCompile(`"(?:complete_to|computed_at|as_of|now)":"[^"]*"`)

// With --clickhouse-engine shared nothing is settled and no metric of settlements is there. Reports,
// lists, charges and bills equal those of a server that has settled the same data. The engine of the
// tests has plain tables also with shared.
func TestSharedEngine(t *testing.T) {
	fulltest.Long(t)
	c := commandtest.NewCluster(t, local.Options{})
	db, err := clickhouse.Open(c.Servers.ClickHouseDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	settlements := func() (n uint64) {
		if err := db.QueryRow(t.Context(), "SELECT count() FROM settlements").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	serve := func(family string) *commandtest.Instance {
		return commandtest.Launch(t, t.TempDir(), c.Servers.NATSURL(), c.Servers.ClickHouseDSN(), "ingest,sink,api", "--migrate", "--clickhouse-engine", family)
	}
	stop := func(s *commandtest.Instance) {
		if _, err := s.Stop(); err != nil {
			t.Fatalf("%v\n%s", err, s.Log)
		}
	}
	metrics := func(s *commandtest.Instance) string {
		_, body, _ := s.Get(t, "/metrics")
		return string(body)
	}

	s := serve("shared")
	bounded.Until(t, "the tables", func() bool { status, _ := s.Readiness(t); return status == http.StatusOK })
	s.Must(t, "prices", "import", priceFile(t, "accounts: [{tag: customer}]\nmargins: [{name: c1, tag: {customer: c1}, factor: 2}]\n"))
	later := strings.NewReplacer("billed-1", "billed-2", "2026-01-10", "2026-02-10", "msg_billed", "msg_later", "req_1", "req_2").Replace(billedConversation)
	for _, text := range []string{billedConversation, later} {
		s.Must(t, "record", "--clock", "frame", "--dialect", "claude-code", "--tag", "customer=c1", commandtest.TextFile(t, []byte(text)))
	}
	for i, model := range []string{"gpt-5", "gpt-5-mini", "in-house-9"} {
		call := chatCall(fmt.Sprint("chatcmpl-e", i), model, `{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020}`)
		s.Must(t, "record", commandtest.TextFile(t, call), "--dialect", "openai-chat", "--session", fmt.Sprint("engine-", i), "--tag", fmt.Sprint("customer=c", i))
	}
	commandtest.Post(t, s, "thinking", "text/event-stream", commandtest.ThinkingStream("thinking"))
	for _, id := range []string{"engine-0", "engine-1", "engine-2", "thinking"} {
		commandtest.UntilEnded(t, s, id)
	}
	if status, body, _ := s.Delete(t, "/v1/sessions/engine-1"); status >= http.StatusBadRequest {
		t.Fatalf("delete a session: %d %s", status, body)
	}
	paths := []string{
		"/v1/sessions", "/v1/sessions?sort=-cost", "/v1/sessions?min_cost=0.001", "/v1/usage", "/v1/usage?group_by=model&granularity=day", "/v1/usage?group_by=tag:customer",
		"/v1/usage/calls", "/v1/usage/calls?unpriced=true", "/v1/calls", "/v1/calls?group_by=model", "/v1/tools", "/v1/limits", "/v1/totals", "/v1/facets",
		"/v1/bills", "/v1/bills/preview?period=2026-02&account=customer%3Dc1", "/v1/search?q=street",
	}
	answers := func(s *commandtest.Instance) map[string]string {
		all := map[string]string{}
		for _, path := range paths {
			status, body, _ := s.Get(t, path)
			all[path] = fmt.Sprint(status, " ", changing.ReplaceAllString(string(body), ""))
			if status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		return all
	}
	s.Must(t, "bills", "close", "2026-01", "--account", "customer=c1")
	// That nothing is settled has no event to wait for. A settler, as the one below, looks each second.
	time.Sleep(3 * time.Second)
	shared := answers(s)
	if n := settlements(); n != 0 {
		t.Errorf("%d settlements", n)
	}
	if text := metrics(s); strings.Contains(text, "tapedeck_settle") || !strings.Contains(text, "tapedeck_clickhouse_up 1") {
		t.Errorf("the metrics have those of settlements:\n%s", text)
	}
	if status, answer := s.Readiness(t); status != http.StatusOK {
		t.Errorf("/readyz: %d %+v", status, answer)
	}
	stop(s)

	s = serve("plain")
	defer stop(s)
	bounded.Until(t, "a settlement", func() bool {
		return settlements() > 0 && strings.Contains(metrics(s), "\ntapedeck_unsettled_sessions 0\n")
	})
	for path, plain := range answers(s) {
		if plain != shared[path] {
			t.Errorf("%s with plain tables:\n%.3000s\nwith shared ones:\n%.3000s", path, plain, shared[path])
		}
	}
	commandtest.Contains(t, "bills verify", s.Must(t, "bills", "verify", "INV-000001"), "INV-000001 equal")
}

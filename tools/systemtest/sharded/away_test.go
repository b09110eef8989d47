package sharded

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/internal/app/health"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/systemtest/commands/commandtest"
)

const missingShards = "Tapedeck-Missing-Shards"

// With a shard away, lists and reports have the sessions of the other and name the shard that is
// missing, sessions of the other are read, and what is billed is refused. A server that starts
// meanwhile stores the other's sessions. When the shard is back, all is there.
func TestReportsWithoutAShard(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	options := localtest.Shards(t, 2)
	first, second := localtest.Engine(t, options[0]), localtest.Engine(t, options[1])
	nats := localtest.Broker(t, broker.Options{Listen: "127.0.0.1:0"})
	serve := func(args ...string) *commandtest.Instance {
		return commandtest.Launch(t, t.TempDir(), nats.URL(), first.DSN(), "ingest,sink,api", append(args, "--clickhouse-cluster", localtest.ClusterName)...)
	}
	s := serve("--migrate")
	t.Cleanup(func() { s.Kill() }) // the one that is running
	of := sessionsOfShards(t, first.DSN(), 3)
	for _, session := range slices.Concat(of[1][:2], of[2]) {
		commandtest.Post(t, s, session, "text/event-stream", commandtest.ThinkingStream(session))
	}
	lists := []string{"/v1/sessions", "/v1/streams", "/v1/open", "/v1/totals", "/v1/facets", "/v1/usage", "/v1/tools", "/v1/limits", "/v1/calls", "/v1/search?q=street"}
	bounded.Until(t, "all sessions", func() bool { return len(sessionsOf(t, s)) == 5 })
	for _, path := range append(lists, "/v1/bills/preview?period=2026-01", "/v1/usage/calls") {
		if status, body, h := s.Get(t, path); status != http.StatusOK || h.Get(missingShards) != "" {
			t.Fatalf("%s with both shards: %d %s, missing %q", path, status, body, h.Get(missingShards))
		}
	}

	if err := second.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + strconv.Itoa(options[1].Port)
	bounded.Until(t, "the shard to be missing", func() bool {
		_, _, h := s.Get(t, "/v1/sessions")
		return h.Get(missingShards) == address
	})
	for _, path := range lists {
		status, body, h := s.Get(t, path)
		if status != http.StatusOK || h.Get(missingShards) != address {
			t.Errorf("%s without a shard: %d %s, missing %q", path, status, body, h.Get(missingShards))
		}
	}
	if got := sessionsOf(t, s); !slices.Equal(got, slices.Sorted(slices.Values(of[1][:2]))) {
		t.Errorf("without a shard the sessions are %v, want %v", got, of[1][:2])
	}
	for path, want := range map[string]bool{"/v1/sessions/" + of[1][0]: true, "/v1/sessions/" + of[2][0]: false,
		"/v1/sessions/" + of[1][0] + "/tape": true,
		"/v1/bills/preview?period=2026-01":   false, "/v1/usage/calls": false} {
		status, body, _ := s.Get(t, path)
		if want && status != http.StatusOK || !want && (status != http.StatusServiceUnavailable || !strings.Contains(string(body), address)) {
			t.Errorf("%s without a shard: %d %s", path, status, body)
		}
	}
	if _, note, exit := s.Run(t, "sessions"); exit != 0 || !strings.Contains(note, address) {
		t.Errorf("tapedeck sessions: exit code %d, %s", exit, note)
	}
	if status, answer := s.Readiness(t); status != http.StatusOK || !strings.Contains(detailOf(answer, health.Shards), address) {
		t.Errorf("/readyz: %d %+v", status, answer)
	}
	s.Kill()
	s = serve()
	commandtest.Post(t, s, of[1][2], "text/event-stream", commandtest.ThinkingStream(of[1][2]))
	bounded.Until(t, "a session that is recorded without a shard", func() bool { return slices.Contains(sessionsOf(t, s), of[1][2]) })

	localtest.Engine(t, options[1])
	bounded.Until(t, "all sessions", func() bool { return len(sessionsOf(t, s)) == 6 })
}

// sessionsOfShards returns names of n sessions of each shard.
func sessionsOfShards(t *testing.T, dsn string, n int) (of [3][]string) {
	t.Helper()
	dsn, err := clickhouse.WithCluster(dsn, localtest.ClusterName)
	if err != nil {
		t.Fatal(err)
	}
	c, err := clickhouse.OpenCluster(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Placement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; len(of[1]) < n || len(of[2]) < n; i++ {
		name := "s" + strconv.Itoa(i)
		if shard := p.Of(ingest.DefaultTenant, name, ""); len(of[shard]) < n {
			of[shard] = append(of[shard], name)
		}
	}
	return of
}

// sessionsOf returns the ids of the sessions of a list, sorted; nil if the list fails.
func sessionsOf(t *testing.T, s *commandtest.Instance) (ids []string) {
	t.Helper()
	status, body, _ := s.Get(t, "/v1/sessions")
	if status != http.StatusOK {
		return nil
	}
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		ids = append(ids, item.ID)
	}
	slices.Sort(ids)
	return ids
}

// detailOf returns the detail of a check.
func detailOf(answer health.Readiness, part string) string {
	for _, c := range answer.Checks {
		if c.Part == part {
			return c.Detail
		}
	}
	return ""
}

package operate

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/speedtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A tenant that sends ten times what it may and follows with more replays than it may does
// not slow another one, which loses nothing and is refused nothing.
func TestTenantAtItsLimit(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := commandtest.StartUp(t, dir, "--tokens", "--max-frames-per-second-per-tenant=2000", "--max-followers-per-tenant=2")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	admin, err := os.ReadFile(filepath.Join(dir, "admin-token"))
	if err != nil {
		t.Fatal(err)
	}
	token := func(tenant string) string {
		cmd := s.Command(t, "tokens", "create", tenant, "--tenant", tenant, "--scope", "record,read:raw")
		cmd.Env = append(cmd.Env, "TAPEDECK_TOKEN="+strings.TrimSpace(string(admin)))
		out, diag, exit := commandtest.Finish(t, cmd)
		if exit != 0 {
			t.Fatal(diag)
		}
		return strings.TrimSpace(out)
	}
	greedy, modest := token("greedy"), token("modest")
	ask := func(token, method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/x-ndjson")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}
	few := strings.Repeat("{\"a\":1}\n", 20)
	recordings := 8
	if speedtest.Wanted() {
		recordings = 40
	}
	// record returns how long some recordings took each, until they could be replayed.
	record := func(prefix string) (took []time.Duration) {
		t.Helper()
		for i := range recordings {
			began := time.Now()
			session := fmt.Sprintf("%s-%d", prefix, i)
			if status, text := ask(modest, http.MethodPost, "/v1/ingest?dialect=generic&session="+session, few); status != http.StatusOK {
				t.Fatalf("recording %s: %d %s", session, status, text)
			}
			for {
				status, text := ask(modest, http.MethodGet, "/v1/sessions/"+session+"/replay?speed=max", "")
				if status == http.StatusOK && strings.Count(text, "\n") >= 20 {
					break
				}
				if status != http.StatusOK && status != http.StatusNotFound || time.Since(began) > bounded.Limit {
					t.Fatalf("replaying %s: %d %s", session, status, text)
				}
				time.Sleep(2 * time.Millisecond) // between two requests
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took
	}
	// A session that goes on until the test ends, for replays that follow it.
	body, more := io.Pipe()
	defer more.Close()
	go func() {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/ingest?dialect=generic&session=open", body)
		r.Header.Set("Authorization", "Bearer "+greedy)
		r.Header.Set("Content-Type", "application/x-ndjson")
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	if _, err := io.WriteString(more, few); err != nil {
		t.Fatal(err)
	}
	record("warm")
	alone := record("alone")

	stop := make(chan struct{})
	var all sync.WaitGroup
	var lock sync.Mutex
	answers := map[int]int{}
	for i := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				method, path, body := http.MethodPost, fmt.Sprintf("/v1/ingest?dialect=generic&session=g-%d-%d", i, n), strings.Repeat(few, 100)
				if i >= 4 {
					method, path, body = http.MethodGet, "/v1/sessions/open/replay?follow=1", ""
				}
				status, _ := ask(greedy, method, path, body)
				lock.Lock()
				answers[status]++
				lock.Unlock()
			}
		})
	}
	beside := record("beside")
	close(stop)
	more.Close() // ends the session, and the replays with it
	waited := make(chan struct{})
	go func() { all.Wait(); close(waited) }()
	select {
	case <-waited:
	case <-time.After(bounded.Limit):
		t.Error("the greedy tenant's requests do not end")
	}
	p := func(took []time.Duration) (time.Duration, time.Duration) {
		return took[len(took)/2], took[len(took)*95/100]
	}
	median, late := p(alone)
	besideMedian, besideLate := p(beside)
	t.Logf("record and replay: alone p50 %v, p95 %v; beside a tenant at its limit p50 %v, p95 %v; its answers by status: %v", median, late, besideMedian, besideLate, answers)
	if answers[http.StatusTooManyRequests] == 0 {
		t.Error("no replay of the greedy tenant was refused: the test shows nothing")
	}
	const waits = `tapedeck_limit_waited_seconds_total{limit="max-frames-per-second-per-tenant",tenant="greedy"} `
	if _, metrics := ask(strings.TrimSpace(string(admin)), http.MethodGet, "/metrics", ""); !strings.Contains(metrics, waits) || strings.Contains(metrics, waits+"0\n") {
		t.Error("the greedy tenant never waited: the test shows nothing")
	}
	speedtest.Within(t, "the other tenant's p95", besideLate, 2*late+50*time.Millisecond)
}

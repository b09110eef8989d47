package failure

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/local/engine"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// balancerConfig matches the configuration of HAProxy in docs/scaling.md.
var balancerConfig = regexp.MustCompile("(?s)```haproxy\n(.*?)```")

// haproxy runs HAProxy with the configuration of docs/scaling.md in front of two servers, and returns
// its URL.
func haproxy(t *testing.T, addresses ...string) string {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil { // make balancer fails without it; no other target needs it
		t.Skip("skipped: HAProxy is not installed")
	}
	found := balancerConfig.FindStringSubmatch(commandtest.ReadPage(t, "docs/scaling.md"))
	if found == nil {
		t.Fatal("docs/scaling.md has no configuration of HAProxy")
	}
	port, err := engine.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	places := append([]string{":4600", address}, "10.0.0.11:4600", addresses[0], "10.0.0.12:4600", addresses[1])
	text := found[1]
	for i := 0; i < len(places); i += 2 {
		was := text
		if text = strings.Replace(text, " "+places[i], " "+places[i+1], 1); text == was {
			t.Fatalf("the configuration of docs/scaling.md lacks the address %s", places[i])
		}
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "-c", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("HAProxy refuses the configuration of docs/scaling.md: %v\n%s", err, out)
	}
	cmd, said := exec.Command(program, "-db", "-f", file), &commandtest.LogBuffer{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	bounded.Until(t, "HAProxy to answer", func() bool {
		resp, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + address
}

// Two servers behind HAProxy and two sinks are killed one after the other, while recorders send and
// readers follow through HAProxy. Each acknowledged frame is stored once and in order, and each reader
// has each frame once.
func TestBehindHAProxy(t *testing.T) {
	fulltest.Long(t)
	needEventSource(t)
	c := commandtest.NewCluster(t, local.Options{})
	var addresses []string
	var members []*restarted
	for range 2 {
		port, err := engine.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, fmt.Sprintf("127.0.0.1:%d", port))
		members = append(members, restartableOf(t, c, "ingest,api", "--listen", addresses[len(addresses)-1]))
	}
	for range 2 {
		members = append(members, restartableOf(t, c, "sink"))
	}
	balancer := haproxy(t, addresses...)

	const rounds, kills = 10, 4 // 20 kills of servers and 20 of sinks
	frames, connections := 0, 0
	for round := range rounds {
		l, state := &rollingLoad{}, t.TempDir()
		live := newSource(fmt.Sprintf("live-%d", round))
		socket := newSource(fmt.Sprintf("socket-%d", round))
		for _, s := range []*source{live, socket} {
			l.add(s, func(s *source) error { return s.socket(t.Context(), balancer) })
		}
		command := newSource(fmt.Sprintf("command-%d", round))
		l.add(command, func(s *source) error { return s.command(t, balancer, state, 1<<40) })
		underLoad := func(more int64) {
			t.Helper()
			for _, s := range l.sources {
				sent := s.sent.Load() + more
				bounded.Until(t, s.session+" to be recorded", func() bool {
					l.failed(t)
					return s.sent.Load() >= sent
				})
			}
		}
		underLoad(50)
		bounded.Until(t, "the live session to be listed", func() bool {
			resp, err := http.Get(balancer + "/v1/sessions/" + live.session)
			if err != nil {
				return false
			}
			resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		})
		readers := []*moved{
			{name: "EventSource", query: "replay?follow=1&speed=max", read: eventSource},
			{name: "EventSource at speed 1", query: "replay?follow=1&speed=1", read: eventSource},
			{name: "WebSocket", query: "replay?follow=1&speed=max", read: webSocket},
		}
		ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
		var reading sync.WaitGroup
		for _, m := range readers {
			m.link = newRelay(t, func() string { return strings.TrimPrefix(balancer, "http://") }, nil)
			reading.Go(func() { m.frames, m.err = m.read(ctx, m.link.url()+"/v1/sessions/"+live.session+"/"+m.query) })
			bounded.Until(t, "the "+m.name+" to read", func() bool { _, came := m.link.seen(); return came > 1000 })
		}
		for n := range kills {
			underLoad(25)
			victim := members[(round+n)%len(members)]
			if err := victim.now().Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-victim.now().Done
			victim.begin(t)
		}
		underLoad(25)
		for _, s := range l.sources {
			close(s.cancel)
		}
		bounded.Wait(t, l.running.Wait)
		l.failed(t)
		bounded.Wait(t, reading.Wait)
		cancel()
		want := loadLines(live.session, int(live.sent.Load()))
		for _, m := range readers {
			got := strings.Join(append(m.frames, ""), "\n")
			if m.err != nil || got != want {
				t.Errorf("round %d, %s: %v, %d frames, %d were recorded: %s", round, m.name, m.err, len(m.frames), live.sent.Load(), firstDifference(got, want))
			}
			opened, _ := m.link.seen()
			connections += opened
		}
		for _, s := range l.sources {
			checkLoad(t, &commandtest.Instance{URL: balancer}, s.session, int(s.sent.Load()))
			frames += int(s.sent.Load())
		}
	}
	if connections <= 3*rounds {
		t.Error("no reader was cut: this shows nothing of them")
	}
	t.Logf("%d frames, %d kills, readers had %d connections", frames, rounds*kills, connections)
}

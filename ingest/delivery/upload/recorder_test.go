package upload

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// The server names a client's recorder while the client sends, signs of life included.
func TestRecorderOfClient(t *testing.T) {
	arrived := make(chan struct{}, 1)
	s := newSite(t, newStore())
	s.opts.Alive, s.opts.Arrived = 50*time.Millisecond, func() { arrived <- struct{}{} }
	s.start()
	t.Cleanup(s.halt)
	c := dial(t, Options{Server: s.url(), Recorder: "some-id", Grace: -1})
	bounded.Receive(t, arrived)
	if got := s.server.Recorders(); !slices.Equal(got, []string{"some-id"}) {
		t.Fatalf("recorders %v, want some-id", got)
	}
	s.server.mu.Lock()
	s.server.recorders["some-id"].last = time.Now().Add(-time.Hour) // as if nothing came for an hour
	s.server.mu.Unlock()
	eventually(t, "a sign of life comes", func() bool { return len(s.server.Recorders()) == 1 })
	closeNow(t, c)
	eventually(t, "it is gone", func() bool { return len(s.server.Recorders()) == 0 })
}

// A recorder is announced as one of its tenant, and a tenant with too many takes no room of others.
func TestRecordersOfTenants(t *testing.T) {
	arrivals := 0
	s := NewServer(ServerOptions{Arrived: func() { arrivals++ }})
	for i := range recordersOfTenant + 5 {
		if p := s.admit("globex", fmt.Sprint(i)); p != nil {
			t.Fatal(p)
		}
		s.dismiss("globex", fmt.Sprint(i))
	}
	for _, tenant := range []string{"acme", "acme", "globex"} {
		if p := s.admit(tenant, "3"); p != nil {
			t.Fatal(p)
		}
	}
	ids := s.Recorders()
	if len(ids) != recordersOfTenant+1 || !slices.Contains(ids, "acme/3") || !slices.Contains(ids, "globex/3") || arrivals != recordersOfTenant+1 {
		t.Errorf("%d recorders, %d came; want %d, acme/3 and globex/3 among them", len(ids), arrivals, recordersOfTenant+1)
	}
	s.mu.Lock()
	for _, p := range s.recorders { // as if nothing came for an hour
		p.last = p.last.Add(-time.Hour)
	}
	s.mu.Unlock()
	if ids := s.Recorders(); len(ids) != 2 || s.of["globex"] != 1 || s.of["acme"] != 1 {
		t.Errorf("later %q are left, %v", ids, s.of)
	}
}

package recorders

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// turn sets the registry's clock forward.
func (r *Registry) turn(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += d
}

func (r *Registry) has(id string) bool {
	ids, _ := r.Alive("acme")
	return slices.Contains(ids, id)
}

// A recorder is alive while heartbeats with its id arrive; it
// is gone when it was not seen for Lifetime, and back when it is seen again.
func TestAlive(t *testing.T) {
	nc := localtest.NATS(t)
	r, err := Listen(nc)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if ids, within := r.Alive("acme"); len(ids) != 0 || within != 0 {
		t.Fatalf("before any heartbeat: %v alive, gone after %v; want none, 0", ids, within)
	}
	ctx, stop := context.WithCancel(t.Context())
	a := NewAnnouncer(nc, "own", nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.Run(ctx)
	}()
	bounded.Until(t, "the first sign", func() bool { return r.has("own") })
	a.SpeakFor(func() []string { return []string{Of("acme", "linked"), Of("globex", "theirs"), Of("globex", "acme/x")} })
	a.Now()
	bounded.Until(t, "the sign of one that came", func() bool { return r.has("linked") })
	bounded.Until(t, "the sign of another tenant's", func() bool {
		ids, _ := r.Alive("globex")
		slices.Sort(ids)
		return slices.Equal(ids, []string{"acme/x", "own", "theirs"})
	})
	if ids, _ := r.Alive("acme"); slices.Contains(ids, "theirs") || slices.Contains(ids, "x") || len(ids) != 2 {
		t.Errorf("alive for acme: %v, want own and linked", ids)
	}
	if r.IsLost("acme", "own") || r.IsLost("acme", "other") {
		t.Error("lost before two heartbeats could be missed")
	}
	stop()
	bounded.Receive(t, done)
	r.turn(Lifetime - time.Minute/6)
	if !r.has("own") {
		t.Error("gone although two signs may be missed")
	}
	r.turn(time.Minute)
	if ids, within := r.Alive("acme"); len(ids) != 0 || within != Lifetime {
		t.Errorf("long after: %v alive, gone after %v; want none, %v", ids, within, Lifetime)
	}
	if !r.IsLost("acme", "own") || !r.IsLost("acme", "other") {
		t.Error("not lost although its heartbeats were missed")
	}
	r.take([]byte(`{"recorders":["globex/own","globex/other"]}`))
	r.take([]byte(`{"recorders":[""]}`))
	metrictest.Of(r).Show(t, "tapedeck_recorders_alive", "tapedeck_recorders_refused_total")
	if !r.IsLost("acme", "own") || !r.IsLost("acme", "other") || r.IsLost("globex", "other") {
		t.Error("the recorder of another tenant's client counts")
	}
	a.publish()
	bounded.Until(t, "it to be back", func() bool { return r.has("own") })
	if r.IsLost("acme", "own") {
		t.Error("lost although it is back")
	}
}

// While NATS is away every recorder stays alive, however long that takes.
func TestNATSAway(t *testing.T) {
	srv := localtest.Broker(t, broker.Options{Dir: t.TempDir()})
	nc, err := srv.Connect(nats.MaxReconnects(-1), nats.ReconnectWait(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	r, err := Listen(nc)
	if err != nil {
		t.Fatal(err)
	}
	NewAnnouncer(nc, "own", nil).publish()
	bounded.Until(t, "the sign", func() bool { return r.has("own") })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := srv.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the clock to stand still", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.going.IsZero()
	})
	before, _ := r.Alive("acme")
	r.mu.Lock()
	at := r.now()
	r.mu.Unlock()
	time.Sleep(10 * time.Millisecond) // so that a clock that goes on would show it
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now() != at || !slices.Equal(before, []string{"own"}) {
		t.Errorf("alive: %v, and the clock went on by %v", before, r.now()-at)
	}
}

// What is malformed, or too much, is left out and counted.
func TestBounds(t *testing.T) {
	r := &Registry{seen: map[string]time.Duration{}}
	for i := range known {
		r.seen[fmt.Sprint(i)] = 0
	}
	long := fmt.Sprintf("%0100d", 1)
	r.take([]byte(`{"recorders":["7","new","","` + long + `"]}`))
	r.take([]byte(`{"recorders":7}`))
	if len(r.seen) != known || r.refused != 3 || r.has("new") {
		t.Errorf("%d known, %d refused; want %d and 3", len(r.seen), r.refused, known)
	}
	r.turn(Lifetime + 1)
	r.take([]byte(`{"recorders":["new"]}`))
	if !r.has("new") || len(r.seen) != 1 {
		t.Errorf("%d known after the others went, new among them: %v", len(r.seen), r.has("new"))
	}
}

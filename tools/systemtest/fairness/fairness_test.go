package fairness

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"tapedeck/internal/speedtest"
)

const (
	ownTenant = "default"
	probes    = 4   // small streams that are measured
	equal     = 100 // streams of the comparison
	mostRatio = 2
)

var wanted = flag.Bool("fairness", false, "measure small streams beside floods")

// The frames of a small stream are stored, and reach a follower, within twice the time that they
// take beside a hundred equal streams, whatever floods the server. All streams of the comparison
// are as slow as the measured ones: a hundred streams that together are as fast as a flood would be
// a flood themselves.
func TestSmallStreamBesideFlood(t *testing.T) {
	if !*wanted {
		t.Skip("make fairness runs it: it compares times, on a machine without other work")
	}
	s := newServer(t)
	own, other := s.newFlood(ownTenant), s.newFlood("other")
	var equals []func(context.Context) error
	for i := range equal - probes {
		equals = append(equals, func(ctx context.Context) error {
			return s.sendSmall(ctx, ownTenant, fmt.Sprint("equal-", i))
		})
	}
	usual := s.measure("equal streams", equals...)
	for _, c := range []struct {
		name   string
		beside []func(context.Context) error
	}{
		{"a body of many sessions", one(own.body("", 0))},
		{"a body of one session", one(own.body("session=flood", 0))},
		{"a body of another tenant", one(other.body("", 0))},
		{"a WebSocket", one(own.webSocket)},
		{"record", one(own.record)},
		{"ten bodies below the rate of a bulk recording", repeat(10, own.body("", 490))},
		{"ten bodies", repeat(10, own.body("", 0))},
		{"short bodies", repeat(4, own.short(1000))},
	} {
		got := s.measure(c.name, c.beside...)
		for _, p := range []int{50, 99} {
			speedtest.Within(t, fmt.Sprintf("beside %s: stored, p%d", c.name, p), at(got.stored, p), mostRatio*at(usual.stored, p))
			speedtest.Within(t, fmt.Sprintf("beside %s: followed, p%d", c.name, p), at(got.live, p), mostRatio*at(usual.live, p))
		}
	}
}

func one(f func(context.Context) error) []func(context.Context) error { return repeat(1, f) }

func repeat(n int, f func(context.Context) error) (all []func(context.Context) error) {
	for range n {
		all = append(all, f)
	}
	return all
}

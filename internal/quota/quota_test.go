package quota

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A tenant at its limit is refused with the limit's name; others are not until the total is
// reached.
func TestGate(t *testing.T) {
	g := NewGate("streams", 5, 3)
	var leaves []func()
	enter := func(tenant, limit string) {
		t.Helper()
		leave, err := g.Enter(tenant)
		if err == nil {
			leaves = append(leaves, leave)
		}
		p, _ := problem.From(err)
		if (err == nil) != (limit == "") || err != nil && (p.Status != 429 || p.Limit != limit || p.RetryAfter == 0) {
			t.Errorf("%s: %+v, want %q", tenant, err, limit)
		}
	}
	for range 3 {
		enter("a", "")
	}
	enter("a", "max-streams-per-tenant")
	enter("b", "")
	enter("b", "")
	enter("b", "max-streams")
	metrictest.Of(Collector{g}).Show(t, "tapedeck_open", "tapedeck_open_limit")
	leaves[0]()
	leaves[0]()
	enter("b", "")
	enter("c", "max-streams")
	for _, leave := range leaves {
		leave()
	}
	if g.open != 0 || len(g.of) != 0 {
		t.Errorf("left: %d, %v", g.open, g.of)
	}
	var none *Gate
	leave, err := none.Enter("a")
	if err != nil {
		t.Error(err)
	}
	leave()
}

// A tenant gets its rate and no more, in the long run; another one its own at the same time.
func TestRate(t *testing.T) {
	metrictest.Grow(t, "tapedeck_limit_waited_seconds_total")
	synctest.Test(t, func(t *testing.T) {
		r := NewRate("frames-per-second", 0, 100)
		const seconds = 20
		ctx, cancel := context.WithTimeout(t.Context(), seconds*time.Second)
		defer cancel()
		sent := make([]int, 3)
		var all sync.WaitGroup
		for i, tenant := range []string{"a", "a", "b"} {
			all.Go(func() {
				for r.Wait(ctx, tenant, 7) == nil {
					sent[i] += 7
				}
			})
		}
		all.Wait()
		// The first second's amount goes through at once.
		for _, n := range []int{sent[0] + sent[1], sent[2]} {
			if want := 100 * (seconds + 1); n > want || n < want-3*7 {
				t.Errorf("%d in %d s, want %d", n, seconds, want)
			}
		}
	})
}

// What would have to wait for too long is refused in time, and takes nothing.
func TestRateRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRate("bytes-per-second", 1000, 0)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := r.Wait(ctx, "a", 1000); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var refused *RateError
		// More than the client may wait for passes all the same, or it never would.
		if err := r.Wait(ctx, "a", 20_000); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < time.Second-time.Millisecond || took > time.Second+time.Millisecond {
			t.Errorf("a large one passed after %v", took)
		}
		if err := r.Wait(ctx, "b", 1); !errors.As(err, &refused) || refused.Limit != "max-bytes-per-second" {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("refused after %v", took)
		}
		// 1 + 20 s were taken, of which 5 s have passed.
		if refused.After < 14*time.Second || refused.After > 16*time.Second {
			t.Errorf("try again after %v", refused.After)
		}
		if p := refused.Refuse(); p.Status != 429 || p.Limit != refused.Limit || p.RetryAfter != mostAfter {
			t.Errorf("the refusal: %+v", p)
		}
		// What was refused has taken nothing: the debt is repaid in time.
		time.Sleep(refused.After) // virtual time
		if err := r.Wait(t.Context(), "b", 1); err != nil || time.Since(began) > 21*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		var none *Rate
		if none.Wait(ctx, "a", 1<<30) != nil || NewRate("x", 0, 0).Wait(ctx, "a", 1<<30) != nil {
			t.Error("a rate without a limit refuses")
		}
	})
}

// Tenants that are idle are forgotten, and metrics have a bounded number of them.
func TestBoundedTenants(t *testing.T) {
	r := NewRate("frames-per-second", 0, 100)
	for i := range mostTenants + 10 {
		r.bucket(strconv.Itoa(i))
	}
	if n := len(r.of); n > mostTenants {
		t.Errorf("%d tenants are kept", n)
	}
	seen := map[string]bool{}
	for i := range 10 * mostLabels {
		seen[TenantLabel(strconv.Itoa(i))] = true
	}
	if len(seen) > mostLabels+1 || !seen["other"] {
		t.Errorf("%d labels", len(seen))
	}
}

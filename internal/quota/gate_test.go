package quota

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/problem"
)

// Of those that wait for a place, the one whose tenant has the fewest comes first, then the one
// that came first. One that waited for long enough is refused with the limit's name.
func TestEnterWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate("comparisons", 2, 0)
		var mu sync.Mutex // guards order
		var order []string
		enter := func(tenant, name string, takes time.Duration) {
			go func() {
				leave, err := g.EnterWithin(t.Context(), tenant, 20*time.Second)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(takes) // virtual time: how long a slot is held
				leave()
				leave()
			}()
			synctest.Wait()
		}
		enter("a", "a1", 5*time.Second)
		enter("a", "a2", 6*time.Second)
		enter("a", "a3", 4*time.Second)
		enter("a", "a4", 4*time.Second)
		enter("b", "b1", 4*time.Second) // overtakes a3 and a4: a has another one open
		began := time.Now()
		_, err := g.EnterWithin(t.Context(), "c", time.Second)
		p, _ := problem.From(err)
		if p == nil || p.Status != 429 || p.Limit != "max-comparisons" || p.RetryAfter == 0 || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ended, end := context.WithCancelCause(t.Context())
		gone := errors.New("the client has left")
		end(gone)
		if _, err := g.EnterWithin(ended, "c", time.Minute); !errors.Is(err, gone) {
			t.Errorf("%v", err)
		}
		time.Sleep(time.Minute) // virtual time: longer than all slots are held
		synctest.Wait()
		if got := strings.Join(order, " "); got != "a1 a2 b1 a3 a4" {
			t.Errorf("in the order %s", got)
		}
		if g.open != 0 || len(g.of) != 0 || len(g.waiting) != 0 {
			t.Errorf("left: %d, %v, %d", g.open, g.of, len(g.waiting))
		}
	})
}

// A tenant at its own limit does not keep another one waiting, and a higher limit admits those
// that wait.
func TestEnterWithinLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate("comparisons", 3, 1)
		var mu sync.Mutex // guards entered
		entered := map[string]int{}
		enter := func(tenant string) {
			go func() {
				leave, err := g.EnterWithin(t.Context(), tenant, time.Hour)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				entered[tenant]++
				mu.Unlock()
				time.Sleep(time.Minute) // virtual time: how long a slot is held
				leave()
			}()
			synctest.Wait()
		}
		enter("a")
		enter("a")
		enter("b")
		if entered["a"] != 1 || entered["b"] != 1 {
			t.Errorf("%v", entered)
		}
		g.SetLimits(0, 0)
		synctest.Wait()
		if entered["a"] != 2 {
			t.Errorf("%v after the limits were raised", entered)
		}
		time.Sleep(time.Hour) // virtual time: longer than all slots are held
		synctest.Wait()
		var none *Gate
		if leave, err := none.EnterWithin(t.Context(), "a", 0); err != nil {
			t.Error(err)
		} else {
			leave()
		}
	})
}

// Package quota bounds concurrent operations and rates, for each tenant and in total.
package quota

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"tapedeck/internal/problem"
)

// Gate is a semaphore that bounds how many operations run concurrently. A nil Gate sets no bound.
type Gate struct {
	name string // "streams": the flags are --max-streams and --max-streams-per-tenant

	mu               sync.Mutex // guards the fields below
	total, perTenant int
	open             int
	of               map[string]int // open operations by tenant; tenants with none are left out
	waiting          []*waiter      // in order of arrival
}

// waiter waits for a slot.
type waiter struct {
	tenant string
	ready  chan struct{} // closed once it has the slot
}

// NewGate returns a gate. Limits of 0 or less set no bound.
func NewGate(name string, total, perTenant int) *Gate {
	return &Gate{name: name, total: total, perTenant: perTenant, of: map[string]int{}}
}

// retryAfter is the time after which a refused client should try again.
const retryAfter = 5 * time.Second

// SetLimits sets other limits, for operations that begin later.
func (g *Gate) SetLimits(total, perTenant int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total, g.perTenant = total, perTenant
	g.admit()
}

// Enter acquires a slot for a tenant until leave is called; leave may be called repeatedly. The
// error is a *problem.Problem with status 429 that names the limit.
func (g *Gate) Enter(tenant string) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.full(tenant) {
		return nil, g.exceeded(tenant)
	}
	return g.take(tenant), nil
}

// EnterWithin is like Enter, but waits for a slot for at most timeout. A free slot goes to the
// tenant with the fewest open operations, so that a tenant with many requests delays another tenant
// by at most the open operations. If ctx ends, the error is its cause.
func (g *Gate) EnterWithin(ctx context.Context, tenant string, timeout time.Duration) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	g.mu.Lock()
	if len(g.waiting) == 0 && !g.full(tenant) {
		defer g.mu.Unlock()
		return g.take(tenant), nil
	}
	w := &waiter{tenant: tenant, ready: make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.admit() // all waiting tenants may be at their limits
	g.mu.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-w.ready:
		return g.leave(tenant), nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, w)
	if i < 0 {
		return g.leave(tenant), nil // acquired at the last moment
	}
	g.waiting = slices.Delete(g.waiting, i, i+1)
	if err == nil {
		err = g.exceeded(tenant)
	}
	return nil, err
}

// full reports whether a tenant has to wait, or is refused. g.mu is held.
func (g *Gate) full(tenant string) bool {
	return g.perTenant > 0 && g.of[tenant] >= g.perTenant || g.total > 0 && g.open >= g.total
}

// exceeded returns the problem for a tenant that is refused. g.mu is held.
func (g *Gate) exceeded(tenant string) *problem.Problem {
	if g.perTenant > 0 && g.of[tenant] >= g.perTenant {
		return Exceeded("max-"+g.name+"-per-tenant", tenant,
			fmt.Sprintf("The tenant has %d %s open, which is its limit.", g.of[tenant], g.name))
	}
	return Exceeded("max-"+g.name, tenant, fmt.Sprintf("All %d %s of this server are open.", g.open, g.name))
}

// take acquires a slot. g.mu is held.
func (g *Gate) take(tenant string) (leave func()) {
	g.open++
	g.of[tenant]++
	return g.leave(tenant)
}

// leave returns a function that releases a tenant's slot, once.
func (g *Gate) leave(tenant string) func() {
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open--
		if g.of[tenant]--; g.of[tenant] == 0 {
			delete(g.of, tenant)
		}
		g.admit()
	})
}

// admit assigns free slots to waiters. g.mu is held.
func (g *Gate) admit() {
	for {
		next := -1
		for i, w := range g.waiting {
			if !g.full(w.tenant) && (next < 0 || g.of[w.tenant] < g.of[g.waiting[next].tenant]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		w := g.waiting[next]
		g.waiting = slices.Delete(g.waiting, next, next+1)
		g.open++
		g.of[w.tenant]++
		close(w.ready)
	}
}

// Exceeded counts that a limit was reached, and returns the problem for it.
func Exceeded(limit, tenant, detail string) *problem.Problem {
	refused.WithLabelValues(limit, TenantLabel(tenant)).Inc()
	return &problem.Problem{
		Title: "Limit reached", Status: http.StatusTooManyRequests, RetryAfter: retryAfter, Limit: limit, Detail: detail,
		Hint: fmt.Sprintf("Try again in a few seconds, or have the server's operator raise --%s.", limit),
	}
}

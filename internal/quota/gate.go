// Package quota bounds how much is done at a time, for each tenant and for all together.
package quota

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"tapedeck/internal/problem"
)

// Gate bounds how many of something are open at a time. A nil Gate bounds nothing.
type Gate struct {
	name string // "streams": the flags are --max-streams and --max-streams-per-tenant

	mu               sync.Mutex // guards what follows
	total, perTenant int
	open             int
	of               map[string]int // by tenant; those with none are left out
}

// NewGate returns a gate. Limits of 0 or less bound nothing.
func NewGate(name string, total, perTenant int) *Gate {
	return &Gate{name: name, total: total, perTenant: perTenant, of: map[string]int{}}
}

// retryAfter is when a client that was refused should come again.
const retryAfter = 5 * time.Second

// SetLimits sets other limits, for what is not open yet.
func (g *Gate) SetLimits(total, perTenant int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total, g.perTenant = total, perTenant
}

// Enter counts one more of a tenant until leave is called, which may be called again. The error is
// a *problem.Problem of status 429 that names the limit.
func (g *Gate) Enter(tenant string) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.perTenant > 0 && g.of[tenant] >= g.perTenant:
		return nil, Exceeded("max-"+g.name+"-per-tenant", tenant, fmt.Sprintf("The tenant has %d %s open, which is its limit.", g.of[tenant], g.name))
	case g.total > 0 && g.open >= g.total:
		return nil, Exceeded("max-"+g.name, tenant, fmt.Sprintf("All %d %s of this server are open.", g.open, g.name))
	}
	g.open++
	g.of[tenant]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open--
		if g.of[tenant]--; g.of[tenant] == 0 {
			delete(g.of, tenant)
		}
	}), nil
}

// Exceeded counts that a limit was reached, and returns the problem that says so.
func Exceeded(limit, tenant, detail string) *problem.Problem {
	refused.WithLabelValues(limit, TenantLabel(tenant)).Inc()
	return &problem.Problem{
		Title: "Limit reached", Status: http.StatusTooManyRequests, RetryAfter: retryAfter, Limit: limit, Detail: detail,
		Hint: fmt.Sprintf("Try again in a few seconds, or have the server's operator raise --%s.", limit),
	}
}

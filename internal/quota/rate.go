package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate bounds an amount per second, for each tenant and for all together. What comes faster
// waits. A nil Rate bounds nothing. It is safe for use by many goroutines.
type Rate struct {
	name      string // "frames-per-second": the flags are --max-… and --max-…-per-tenant
	total     *rate.Limiter
	perTenant float64

	mu sync.Mutex // guards what follows
	of map[string]*rate.Limiter
}

// NewRate returns a rate of so much per second; 0 or less bounds nothing.
func NewRate(name string, total, perTenant float64) *Rate {
	r := &Rate{name: name, perTenant: perTenant, of: map[string]*rate.Limiter{}}
	if total > 0 {
		r.total = newLimiter(total)
	}
	return r
}

// newLimiter returns a limiter that lets one second's amount through at once.
func newLimiter(perSecond float64) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), max(int(perSecond), 1))
}

// mostTenants bounds the tenants whose limiters are kept. Those that are idle are made anew.
const mostTenants = 10_000

// limiter returns the limiter of a tenant; nil without a limit.
func (r *Rate) limiter(tenant string) *rate.Limiter {
	if r.perTenant <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.of[tenant]
	if l == nil {
		if len(r.of) >= mostTenants {
			for name, other := range r.of {
				if other.Tokens() >= float64(other.Burst()) {
					delete(r.of, name)
				}
			}
		}
		l = newLimiter(r.perTenant)
		r.of[tenant] = l
	}
	return l
}

// RateError reports an amount that had to wait for a rate for longer than it may.
type RateError struct {
	Limit string        // the flag, without --
	After time.Duration // when to try again
}

// Error implements error.
func (e *RateError) Error() string {
	return fmt.Sprintf("the rate of --%s is reached, try again in %v", e.Limit, e.After.Round(100*time.Millisecond))
}

// Wait waits until n more of a tenant are within the rates. The tenant's rate comes first, so that
// what waits for it takes nothing of the others'. The error is a *RateError if ctx ends
// meanwhile.
func (r *Rate) Wait(ctx context.Context, tenant string, n int) error {
	if r == nil {
		return nil
	}
	if err := wait(ctx, r.limiter(tenant), "max-"+r.name+"-per-tenant", tenant, n); err != nil {
		return err
	}
	return wait(ctx, r.total, "max-"+r.name, tenant, n)
}

func wait(ctx context.Context, l *rate.Limiter, limit, tenant string, n int) error {
	for l != nil && n > 0 {
		some := min(n, l.Burst())
		n -= some
		reserved := l.ReserveN(time.Now(), some)
		delay := reserved.Delay()
		if delay == 0 {
			continue
		}
		began, timer := time.Now(), time.NewTimer(delay)
		select {
		case <-timer.C:
			waited.WithLabelValues(limit, label(tenant)).Add(time.Since(began).Seconds())
		case <-ctx.Done():
			timer.Stop()
			reserved.Cancel()
			refused.WithLabelValues(limit, label(tenant)).Inc()
			return &RateError{limit, max(delay-time.Since(began), time.Second)}
		}
	}
	return nil
}

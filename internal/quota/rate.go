package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tapedeck/internal/problem"
)

// Rate bounds an amount per second, for each tenant and in total. Operations beyond the rate wait.
// A nil Rate sets no bound. It is safe for use by many goroutines.
type Rate struct {
	name string // "frames-per-second": the flags are --max-… and --max-…-per-tenant

	mu        sync.Mutex // guards the fields below
	total     *bucket
	perTenant float64
	of        map[string]*bucket
}

// NewRate returns a rate with these amounts per second; 0 or less sets no bound. The amount of one
// second passes at once.
func NewRate(name string, total, perTenant float64) *Rate {
	r := &Rate{name: name, perTenant: perTenant, of: map[string]*bucket{}}
	if total > 0 {
		r.total = newBucket(total)
	}
	return r
}

// SetLimits sets other rates. Waiting operations keep the previous rates.
func (r *Rate) SetLimits(total, perTenant float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total, r.perTenant, r.of = nil, perTenant, map[string]*bucket{}
	if total > 0 {
		r.total = newBucket(total)
	}
}

// all returns the bucket for all tenants together; nil without a limit.
func (r *Rate) all() *bucket {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// mostTenants bounds the tenants whose buckets are kept. Idle buckets are removed and created
// again.
const mostTenants = 10_000

// bucket returns the bucket of a tenant; nil without a limit.
func (r *Rate) bucket(tenant string) *bucket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.perTenant <= 0 {
		return nil
	}
	l := r.of[tenant]
	if l == nil {
		if len(r.of) >= mostTenants {
			for name, other := range r.of {
				if other.isFull() {
					delete(r.of, name)
				}
			}
		}
		l = newBucket(r.perTenant)
		r.of[tenant] = l
	}
	return l
}

// RateError reports an amount that would have had to wait for a rate for too long.
type RateError struct {
	Limit  string // the flag, without --
	Tenant string
	After  time.Duration // when to try again
}

// Error implements error.
func (e *RateError) Error() string {
	return fmt.Sprintf("the rate of --%s is reached, try again in %v", e.Limit, e.After.Round(100*time.Millisecond))
}

// mostAfter bounds the time after which a delayed client should try again.
const mostAfter = 10 * time.Second

// Refuse counts that a client is refused, and returns the problem with status 429 that names the
// limit. An operation that waits and is tried again is not refused.
func (e *RateError) Refuse() *problem.Problem {
	p := Exceeded(e.Limit, e.Tenant, "More is sent than --"+e.Limit+" lets through.")
	p.RetryAfter = min(e.After, mostAfter)
	return p
}

// Wait waits until n more units of a tenant are within the rates. It takes from the tenant's rate
// first, so that a waiting operation does not use the amounts of other tenants. The error is a
// *RateError if ctx ends meanwhile; then nothing is taken.
func (r *Rate) Wait(ctx context.Context, tenant string, n int) error {
	if r == nil {
		return nil
	}
	own := r.bucket(tenant)
	if err := wait(ctx, own, "max-"+r.name+"-per-tenant", tenant, n); err != nil {
		return err
	}
	err := wait(ctx, r.all(), "max-"+r.name, tenant, n)
	if err != nil {
		own.refund(n)
	}
	return err
}

// GiveBack returns what Wait took for an operation that was not performed.
func (r *Rate) GiveBack(tenant string, n int) {
	if r != nil {
		r.bucket(tenant).refund(n)
		r.all().refund(n)
	}
}

func wait(ctx context.Context, b *bucket, limit, tenant string, n int) error {
	took, again := b.wait(ctx, n)
	if took > 0 {
		waited.WithLabelValues(limit, TenantLabel(tenant)).Add(took.Seconds())
	}
	if again > 0 {
		return &RateError{limit, tenant, again}
	}
	return nil
}

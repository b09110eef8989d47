// Package quota bounds how much is done at a time, for each tenant and for all together.
package quota

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/problem"
)

// Gate bounds how many of something are open at a time. A nil Gate bounds nothing. It is a
// prometheus.Collector.
type Gate struct {
	name             string // "streams": the flags are --max-streams and --max-streams-per-tenant
	total, perTenant int
	desc, limit      *prometheus.Desc

	mu   sync.Mutex // guards what follows
	open int
	of   map[string]int // by tenant; those with none are left out
}

// NewGate returns a gate. Limits of 0 or less bound nothing.
func NewGate(name string, total, perTenant int) *Gate {
	return &Gate{
		name: name, total: total, perTenant: perTenant, of: map[string]int{},
		desc:  prometheus.NewDesc("tapedeck_open", "What is open now, by the limit that bounds it.", nil, prometheus.Labels{"limit": "max-" + name}),
		limit: prometheus.NewDesc("tapedeck_open_limit", "How many of it may be open; 0 for any number.", nil, prometheus.Labels{"limit": "max-" + name}),
	}
}

// retryAfter is when a client that was refused should come again.
const retryAfter = 5 * time.Second

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
	refused.WithLabelValues(limit, label(tenant)).Inc()
	return &problem.Problem{
		Title: "Limit reached", Status: http.StatusTooManyRequests, RetryAfter: retryAfter, Limit: limit, Detail: detail,
		Hint: fmt.Sprintf("Try again in a few seconds, or have the server's operator raise --%s.", limit),
	}
}

// Describe implements prometheus.Collector.
func (g *Gate) Describe(descs chan<- *prometheus.Desc) { descs <- g.desc; descs <- g.limit }

// Collect implements prometheus.Collector.
func (g *Gate) Collect(metrics chan<- prometheus.Metric) {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(open))
	metrics <- prometheus.MustNewConstMetric(g.limit, prometheus.GaugeValue, float64(max(g.total, 0)))
}

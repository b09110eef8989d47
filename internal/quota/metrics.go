package quota

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var (
	refused = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_limit_refused_total", Help: "Requests that were refused because of a limit, by the limit and the tenant; the tenant is other beyond the first 100.",
	}, []string{"limit", "tenant"})
	waited = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_limit_waited_seconds_total", Help: "How long blocks waited for a rate limit, by the limit and the tenant; the tenant is other beyond the first 100.",
	}, []string{"limit", "tenant"})
)

// mostLabels bounds the tenants that have a label of their own.
const mostLabels = 100

var labels = struct {
	sync.Mutex
	of map[string]bool
}{of: map[string]bool{}}

// label returns the label of a tenant: its name, for the first tenants that reach a limit.
func label(tenant string) string {
	labels.Lock()
	defer labels.Unlock()
	if !labels.of[tenant] && len(labels.of) == mostLabels {
		return "other"
	}
	labels.of[tenant] = true
	return tenant
}

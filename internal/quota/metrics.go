package quota

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	refused = metric.CounterVec(metric.Any, "tapedeck_limit_refused_total",
		"Requests that were refused because of a limit, by the limit and the tenant; the tenant is other beyond the first 100.", "limit", "tenant")
	waited = metric.CounterVec(metric.Any, "tapedeck_limit_waited_seconds_total",
		"How long blocks waited for a rate limit, by the limit and the tenant; the tenant is other beyond the first 100.", "limit", "tenant")
)

// mostLabels bounds the tenants that have a label of their own.
const mostLabels = 100

var labels = struct {
	sync.Mutex
	of map[string]bool
}{of: map[string]bool{}}

// TenantLabel returns the value of the label tenant of a metric: the name of the tenant for the
// first tenants that any metric counts, and "other" for the rest.
func TenantLabel(tenant string) string {
	labels.Lock()
	defer labels.Unlock()
	if !labels.of[tenant] && len(labels.of) == mostLabels {
		return "other"
	}
	labels.of[tenant] = true
	return tenant
}

var (
	openDesc  = metric.GaugeDesc(metric.Any, "tapedeck_open", "What is open now, by the limit that bounds it.", "limit")
	limitDesc = metric.GaugeDesc(metric.Any, "tapedeck_open_limit", "How many of it may be open; 0 for any number.",
		"limit")
)

// Collector reports the open operations of gates. It leaves out nil gates.
type Collector []*Gate

// Describe implements prometheus.Collector.
func (Collector) Describe(descs chan<- *prometheus.Desc) { descs <- openDesc; descs <- limitDesc }

// Collect implements prometheus.Collector.
func (c Collector) Collect(metrics chan<- prometheus.Metric) {
	for _, g := range c {
		if g == nil {
			continue
		}
		g.mu.Lock()
		open, total := g.open, g.total
		g.mu.Unlock()
		metrics <- prometheus.MustNewConstMetric(openDesc, prometheus.GaugeValue, float64(open), "max-"+g.name)
		metrics <- prometheus.MustNewConstMetric(limitDesc, prometheus.GaugeValue, float64(max(total, 0)),
			"max-"+g.name)
	}
}

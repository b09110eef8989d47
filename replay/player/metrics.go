package player

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// Metrics holds the metrics of players. A nil *Metrics records nothing.
type Metrics struct {
	lateness prometheus.Histogram
}

var lateness = metric.Define(metric.API, metric.HistogramKind, "tapedeck_replay_lateness_seconds",
	"How much later than due a frame was handed on, at speeds other than max.")

// NewMetrics creates the metrics and registers them.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{lateness: lateness.Histogram([]float64{
		50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 50e-3, 100e-3, 500e-3, 1, 5, 30,
	})}
	r.MustRegister(m.lateness)
	return m
}

func (m *Metrics) late(by time.Duration) {
	if m != nil {
		m.lateness.Observe(by.Seconds())
	}
}

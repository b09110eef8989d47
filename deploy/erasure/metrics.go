package erasure

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var (
	requested = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_erasures_requested_total", Help: "Erasures that were requested from this server, by kind.",
	}, []string{"kind"})
	finished = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_erasures_verified_total", Help: "Erasures that this server completed and verified.",
	})
	open = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_erasures_open", Help: "Erasures that are not verified; servers that share a ClickHouse report the same number.",
	})
	late = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_erasures_overdue", Help: "Erasures that are not verified within --erase-within.",
	})
	oldestOpen = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_erasures_oldest_seconds", Help: "Age of the oldest erasure that is not verified; 0 if there is none.",
	})
	took = promauto.NewHistogram(prometheus.HistogramOpts{
		Name: "tapedeck_erasure_seconds", Help: "Time from the request of an erasure to its verification.",
		Buckets: []float64{5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 72 * 3600},
	})
)

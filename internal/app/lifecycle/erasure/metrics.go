package erasure

import (
	"tapedeck/internal/metric"
)

var (
	requested = metric.CounterVec(metric.API, "tapedeck_erasures_requested_total",
		"Erasures that were requested from this server, by kind.", "kind")
	finished = metric.Counter(metric.API, "tapedeck_erasures_verified_total",
		"Erasures that this server completed and verified.")
	open = metric.Gauge(metric.API, "tapedeck_erasures_open",
		"Erasures that are not verified; servers that share a ClickHouse report the same number.")
	late = metric.Gauge(metric.API, "tapedeck_erasures_overdue",
		"Erasures that are not verified within --erase-within.")
	oldestOpen = metric.Gauge(metric.API, "tapedeck_erasures_oldest_seconds",
		"Age of the oldest erasure that is not verified; 0 if there is none.")
	took = metric.Histogram(metric.API, "tapedeck_erasure_seconds",
		"Time from the request of an erasure to its verification.", []float64{5, 15, 60, 300, 900, 3600, 6 * 3600,
			24 * 3600, 72 * 3600})
)

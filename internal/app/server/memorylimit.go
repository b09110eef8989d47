package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/memorylimit"
	"tapedeck/internal/metric"
)

var memoryLimitMetric = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_memory_limit_bytes",
	"Memory that this process and its children may take: the least limit of its control groups, or else the memory of the machine; 0 if neither is known.")

// memoryLimit returns a gauge of the memory that the process may take.
func memoryLimit() prometheus.Collector {
	g := memoryLimitMetric.Gauge()
	g.Set(float64(memorylimit.Total()))
	return g
}

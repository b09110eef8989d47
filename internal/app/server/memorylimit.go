package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/memorylimit"
	"tapedeck/internal/metric"
)

var memoryLimitMetric = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_memory_limit_bytes",
	"Memory that this process and its children may take: the least limit of its control groups, or else the memory of the machine; 0 if neither is known.")

var memoryBudgetMetric = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_memory_budget_bytes",
	"Bytes that a part of the server may hold in memory, by its settings. What it holds: tapedeck_reader_bytes, tapedeck_session_cache_bytes, "+
		"tapedeck_writer_bytes, tapedeck_sink_held_bytes (sink_messages); the others have no figure of their own.", "part")

// memoryBudgets returns gauges of the bytes that the parts may hold.
func memoryBudgets(parts map[string]int64) prometheus.Collector {
	g := memoryBudgetMetric.GaugeVec()
	for part, n := range parts {
		g.WithLabelValues(part).Set(float64(n))
	}
	return g
}

// memoryLimit returns a gauge of the memory that the process may take.
func memoryLimit() prometheus.Collector {
	g := memoryLimitMetric.Gauge()
	g.Set(float64(memorylimit.Total()))
	return g
}

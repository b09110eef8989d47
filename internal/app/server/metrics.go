package server

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/local/diskspace"
	"tapedeck/internal/metric"
	"tapedeck/schema/clickhouse"
)

// registerMetrics registers the collectors that measure on demand; counters of packages are in the
// default registry.
func (s *Server) registerMetrics() {
	s.requests = newRequestMetrics()
	s.metrics.MustRegister(buildInfo(s.Node.Version), s.requests)
	s.Concurrency.register(s)
	n := s.Node
	s.metrics.MustRegister(memoryLimit(), memoryBudgets(s.Budgets))
	if n.NATS != nil {
		s.metrics.MustRegister(readinessCollector{s})
	}
	if n.Accepts != nil { // with the role ingest
		s.metrics.MustRegister(n.Accepts)
	}
	if n.Backlog != nil {
		s.metrics.MustRegister(n.Backlog)
	}
	if n.Spool != nil { // with the role ingest
		s.metrics.MustRegister(diskspace.Collector{Dir: n.SpoolDir})
	}
	if db := n.Store(); db != nil {
		s.metrics.MustRegister(clickhouse.HealthCollector{DB: db})
	}
}

var build = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_build_info",
	"1; the labels name the program's version.", "version", "go_version")

// buildInfo returns a gauge of 1 whose labels are the program's version.
func buildInfo(version string) prometheus.Collector {
	g := build.GaugeVec()
	g.WithLabelValues(version, runtime.Version()).Set(1)
	return g
}

package main

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/deploy/local/diskspace"
	"tapedeck/schema/clickhouse"
)

// registerMetrics registers the collectors that measure on demand; the packages'
// counters of the process are in the default registry.
func (s *server) registerMetrics() {
	s.requests = newRequestMetrics()
	s.metrics.MustRegister(buildInfo(), s.requests)
	n := s.node
	if n.backlog != nil {
		s.metrics.MustRegister(n.backlog)
	}
	if n.spool != nil { // with the role ingest
		s.metrics.MustRegister(diskspace.Collector{Dir: n.cfg.spoolDir})
	}
	if n.db != nil { // with the role api
		s.metrics.MustRegister(clickhouse.HealthCollector{DB: n.db})
	}
}

// buildInfo returns a gauge of 1 whose labels are the program's version.
func buildInfo() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_build_info", Help: "1; the labels name the program's version.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	g.Set(1)
	return g
}

package main

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/deploy/local/diskspace"
	"tapedeck/schema/clickhouse"
)

// registerMetrics has the server's registry ask for what is measured on demand;
// what the packages count for the process is in the default registry.
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

// buildInfo is a gauge of 1 that names the program.
func buildInfo() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_build_info", Help: "1; the labels name the program's version.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	g.Set(1)
	return g
}

package server

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/deploy/local/diskspace"
	"tapedeck/schema/clickhouse"
)

// registerMetrics registers the collectors that measure on demand; the packages'
// counters of the process are in the default registry.
func (s *Server) registerMetrics() {
	s.requests = newRequestMetrics()
	s.metrics.MustRegister(buildInfo(s.Node.Version), s.requests)
	s.Gates.register(s)
	n := s.Node
	if n.Backlog != nil {
		s.metrics.MustRegister(n.Backlog)
	}
	if n.Spool != nil { // with the role ingest
		s.metrics.MustRegister(diskspace.Collector{Dir: n.SpoolDir})
	}
	if n.DB != nil { // with the role api
		s.metrics.MustRegister(clickhouse.HealthCollector{DB: n.DB})
	}
}

// buildInfo returns a gauge of 1 whose labels are the program's version.
func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_build_info", Help: "1; the labels name the program's version.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()},
	})
	g.Set(1)
	return g
}

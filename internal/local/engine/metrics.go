package engine

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	runningMetric = metric.GaugeDesc(metric.Local, "tapedeck_clickhouse_running",
		"1 while the ClickHouse of local mode runs, 0 while it is started again.")
	restartsMetric = metric.CounterDesc(metric.Local, "tapedeck_clickhouse_restarts_total",
		"Times that the ClickHouse of local mode ended by itself and was started again.")
)

// Describe implements prometheus.Collector.
func (s *Server) Describe(descs chan<- *prometheus.Desc) {
	descs <- runningMetric
	descs <- restartsMetric
}

// Collect implements prometheus.Collector.
func (s *Server) Collect(metrics chan<- prometheus.Metric) {
	h := s.Health()
	running := map[bool]float64{true: 1}[h.State == Running]
	metrics <- prometheus.MustNewConstMetric(runningMetric, prometheus.GaugeValue, running)
	metrics <- prometheus.MustNewConstMetric(restartsMetric, prometheus.CounterValue, float64(h.Restarts))
}

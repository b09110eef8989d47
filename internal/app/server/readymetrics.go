package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	readyMetric = metric.GaugeDesc(metric.Any, "tapedeck_ready", "1 if /readyz answers 200, else 0.")
	checkMetric = metric.GaugeDesc(metric.Any, "tapedeck_check_ok",
		"1 if a check of /readyz succeeds, else 0. Checks that leave the process ready are among them.", "check")
)

// readinessCollector reports the checks of /readyz. Each scrape runs them.
type readinessCollector struct{ server *Server }

// Describe implements prometheus.Collector.
func (readinessCollector) Describe(descs chan<- *prometheus.Desc) {
	descs <- readyMetric
	descs <- checkMetric
}

// Collect implements prometheus.Collector.
func (c readinessCollector) Collect(metrics chan<- prometheus.Metric) {
	value := map[bool]float64{true: 1}
	r := c.server.readiness(context.Background()) // each check is bounded
	metrics <- prometheus.MustNewConstMetric(readyMetric, prometheus.GaugeValue, value[r.Ready])
	ok := map[string]bool{}
	for _, check := range r.Checks {
		before, known := ok[check.Part]
		ok[check.Part] = check.OK && (before || !known)
	}
	for part, is := range ok {
		metrics <- prometheus.MustNewConstMetric(checkMetric, prometheus.GaugeValue, value[is], part)
	}
}

package certs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	expiryDesc = metric.GaugeDesc(metric.Any, "tapedeck_certificate_expiry_timestamp_seconds",
		"When a TLS certificate in use, or the first of the authorities in a file, expires; by use (server, "+
			"nats, clickhouse, client) and file.", "use", "file")
	reloadsDesc = metric.CounterDesc(metric.Any, "tapedeck_certificate_reloads_total",
		"Changed TLS files that were read, by use.", "use")
	errorsDesc = metric.CounterDesc(metric.Any, "tapedeck_certificate_reload_errors_total",
		"Changed TLS files that could not be used, so that those before stayed in use, by use.", "use")
)

func init() { prometheus.MustRegister(collector{}) }

// collector reports all sources. It reads their files.
type collector struct{}

// Describe implements prometheus.Collector.
func (collector) Describe(out chan<- *prometheus.Desc) {
	out <- expiryDesc
	out <- reloadsDesc
	out <- errorsDesc
}

// Collect implements prometheus.Collector.
func (collector) Collect(out chan<- prometheus.Metric) {
	sources.Lock()
	defer sources.Unlock()
	expiry, reloads, failed := map[[2]string]time.Time{}, map[string]int{}, map[string]int{}
	for f, s := range sources.by {
		c := s.current()
		note := func(file string, at time.Time) {
			if old, known := expiry[[2]string{f.Use, file}]; !known || at.Before(old) {
				expiry[[2]string{f.Use, file}] = at
			}
		}
		if c.cert != nil {
			note(f.Cert, c.ends)
		}
		for _, ca := range c.cas {
			note(f.CA, ca.NotAfter)
		}
		s.mu.Lock()
		reloads[f.Use] += s.reloads
		failed[f.Use] += s.errors
		s.mu.Unlock()
	}
	for of, at := range expiry {
		out <- prometheus.MustNewConstMetric(expiryDesc, prometheus.GaugeValue, float64(at.Unix()), of[0], of[1])
	}
	for use, n := range reloads {
		out <- prometheus.MustNewConstMetric(reloadsDesc, prometheus.CounterValue, float64(n), use)
	}
	for use, n := range failed {
		out <- prometheus.MustNewConstMetric(errorsDesc, prometheus.CounterValue, float64(n), use)
	}
}

package sessioncache

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// Reasons for which values leave the cache.
const (
	evictedForRoom  = "room"
	evictedByChange = "changed"
)

var (
	bytesGauge = metric.Define(metric.API, metric.GaugeKind, "tapedeck_session_cache_bytes",
		"Bytes of sessions that are kept in memory for readers.")
	hitsTotal = metric.Define(metric.API, metric.CounterKind, "tapedeck_session_cache_hits_total",
		"Reads of a part of a session that the cache had, or that was being loaded for another reader.")
	missesTotal = metric.Define(metric.API, metric.CounterKind, "tapedeck_session_cache_misses_total",
		"Reads of a part of a session that was loaded from ClickHouse into the cache.")
	evictionsTotal = metric.Define(metric.API, metric.CounterKind, "tapedeck_session_cache_evictions_total",
		"Parts of sessions that left the cache: for room, or since their session had changed.", "reason")
)

type metrics struct {
	hits, misses prometheus.Counter
	evictions    *prometheus.CounterVec
}

func newMetrics() metrics {
	m := metrics{hits: hitsTotal.Counter(), misses: missesTotal.Counter(), evictions: evictionsTotal.CounterVec()}
	m.evictions.WithLabelValues(evictedForRoom)
	m.evictions.WithLabelValues(evictedByChange)
	return m
}

func (m *metrics) describe(to chan<- *prometheus.Desc) {
	to <- bytesGauge.Desc()
	m.hits.Describe(to)
	m.misses.Describe(to)
	m.evictions.Describe(to)
}

func (m *metrics) collect(to chan<- prometheus.Metric, bytes int64) {
	to <- prometheus.MustNewConstMetric(bytesGauge.Desc(), prometheus.GaugeValue, float64(bytes))
	m.hits.Collect(to)
	m.misses.Collect(to)
	m.evictions.Collect(to)
}

package budget

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	readersDesc = metric.GaugeDesc(metric.API, "tapedeck_readers",
		"Readers of recordings: playbacks, pages of frames, exports and emulations.")
	mostDesc  = metric.GaugeDesc(metric.API, "tapedeck_readers_limit", "Readers that are served at a time.")
	bytesDesc = metric.GaugeDesc(metric.API, "tapedeck_reader_bytes",
		"Bytes of recordings that are charged to readers.")
	limitDesc = metric.GaugeDesc(metric.API, "tapedeck_reader_limit_bytes",
		"Bytes of recordings that readers may hold together.")

	refusedTotal = metric.Define(metric.API, metric.CounterKind, "tapedeck_readers_refused_total",
		"Requests of readers that were refused, by the limit that was reached.", "limit")
)

// Describe implements prometheus.Collector.
func (b *Budget) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{readersDesc, mostDesc, bytesDesc, limitDesc} {
		to <- d
	}
	b.refused.Describe(to)
}

// Collect implements prometheus.Collector.
func (b *Budget) Collect(to chan<- prometheus.Metric) {
	b.mu.Lock()
	readers, used := b.readers, b.used
	b.mu.Unlock()
	for _, m := range []struct {
		desc  *prometheus.Desc
		value float64
	}{
		{readersDesc, float64(readers)}, {mostDesc, float64(b.opts.Readers)},
		{bytesDesc, float64(used)}, {limitDesc, float64(b.opts.Bytes)},
	} {
		to <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, m.value)
	}
	b.refused.Collect(to)
}

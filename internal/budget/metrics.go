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
	writerBytesDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_writer_bytes",
		"Bytes that are charged to writers for large frames and blocks that have arrived and are not published; --max-writer-bytes bounds them.")
	writersWaitingDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_writers_waiting",
		"Writers that wait, unread, for memory for a large frame or block.")

	refusedTotal = metric.Define(metric.API, metric.CounterKind, "tapedeck_readers_refused_total",
		"Requests of readers that were refused, by the limit that was reached.", "limit")
	writersRefused = metric.Define(metric.Ingest, metric.CounterKind, "tapedeck_writers_refused_total",
		"Writers that waited for too long for memory for a large frame, and were refused.")
)

// Describe implements prometheus.Collector.
func (b *Budget) Describe(to chan<- *prometheus.Desc) {
	descs := []*prometheus.Desc{readersDesc, mostDesc, bytesDesc}
	if b.writers {
		descs = []*prometheus.Desc{writerBytesDesc, writersWaitingDesc}
	}
	for _, d := range descs {
		to <- d
	}
	b.refused.Describe(to)
}

// Collect implements prometheus.Collector.
func (b *Budget) Collect(to chan<- prometheus.Metric) {
	if b.writers {
		b.collectWriters(to)
		return
	}
	b.mu.Lock()
	readers, used := b.readers, b.used
	b.mu.Unlock()
	for _, m := range []struct {
		desc  *prometheus.Desc
		value float64
	}{
		{readersDesc, float64(readers)}, {mostDesc, float64(b.opts.Readers)},
		{bytesDesc, float64(used)},
	} {
		to <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, m.value)
	}
	b.refused.Collect(to)
}

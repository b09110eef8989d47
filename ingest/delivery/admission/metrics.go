package admission

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
	"tapedeck/internal/quota"
)

// The outcomes of a block.
const (
	durable = "durable" // the block is in JetStream, or in the spool
	refused = "refused" // the block was not accepted: a limit, a deleted session, no room
	failed  = "failed"  // the block was accepted and abandoned
)

var (
	ingestBlocks = metric.CounterVec(metric.Ingest, "tapedeck_ingest_blocks_total",
		"Blocks that were to be recorded, by tenant and outcome: durable, refused (not taken), failed (taken "+
			"and abandoned); the tenant is other beyond the first 100.", "tenant", "outcome")
	ingestFrames = metric.CounterVec(metric.Ingest, "tapedeck_ingest_frames_total",
		"Frames of blocks that are durable, by tenant; the tenant is other beyond the first 100.", "tenant")
	ingestBytes = metric.CounterVec(metric.Ingest, "tapedeck_ingest_bytes_total",
		"Bytes of encoded blocks that are durable, by tenant; the tenant is other beyond the first 100.", "tenant")
	ingestSeconds = metric.Histogram(metric.Ingest, "tapedeck_ingest_seconds",
		// 1 ms to 24 s.
		"Time from offering a block to its being durable.", prometheus.ExponentialBuckets(0.001, 2.5, 12))

	waitingDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_ingest_unacknowledged_blocks",
		"Blocks that were offered and are neither durable nor refused.")
	oldestDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_ingest_oldest_unacknowledged_seconds",
		"Age of the oldest block that was offered and is neither durable nor refused; 0 if there is none.")

	unstoredBytes = metric.Gauge(metric.Ingest, "tapedeck_ingest_unstored_bytes",
		"Bytes of encoded blocks that this process has published and does not know to be stored. "+
			"It is only brought up to date above a quarter of --max-unstored-bytes or --max-unstored-frames.")
	unstoredWaits = metric.Counter(metric.Ingest, "tapedeck_ingest_unstored_waits_total",
		"Blocks of bulk recordings that waited because of --max-unstored-bytes, --max-unstored-frames or "+
			"--max-cached-bytes.")

	refusedBlocks = metric.Counter(metric.Ingest, "tapedeck_ingest_deleted_blocks_total",
		"Blocks that were refused because their session was deleted while it was recorded.")
	droppedBlocks = metric.Counter(metric.Ingest, "tapedeck_ingest_dropped_deleted_blocks_total",
		"Blocks that had been accepted and were dropped before JetStream because their session was deleted meanwhile.")
)

// counters holds the counters of one tenant.
type counters struct{ durable, refused, failed, frames, bytes prometheus.Counter }

// known maps the tenant label to its counters.
var known sync.Map // string → *counters

// countersOf returns the counters of a tenant. It sets all outcomes to 0 before the first block, so
// that rate() counts the first refused block.
func countersOf(tenant string) *counters {
	label := quota.TenantLabel(tenant)
	if c, is := known.Load(label); is {
		return c.(*counters)
	}
	c, _ := known.LoadOrStore(label, &counters{
		durable: ingestBlocks.WithLabelValues(label, durable),
		refused: ingestBlocks.WithLabelValues(label, refused), failed: ingestBlocks.WithLabelValues(label, failed),
		frames: ingestFrames.WithLabelValues(label), bytes: ingestBytes.WithLabelValues(label),
	})
	return c.(*counters)
}

// Describe implements prometheus.Collector.
func (p *Publisher) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(p, descs) }

// Collect implements prometheus.Collector.
func (p *Publisher) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	n, age := p.offered.Len(), time.Duration(0)
	if oldest := p.offered.Front(); oldest != nil {
		age = time.Since(oldest.Value.(*offer).at)
	}
	p.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n))
	metrics <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age.Seconds())
}

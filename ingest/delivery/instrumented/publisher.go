// Package instrumented counts the blocks that a server accepts and how long they take to become
// durable.
package instrumented

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest"
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
	blocks = metric.CounterVec(metric.Ingest, "tapedeck_ingest_blocks_total",
		"Blocks that were to be recorded, by tenant and outcome: durable, refused (not taken), failed (taken "+
			"and abandoned); the tenant is other beyond the first 100.", "tenant", "outcome")
	frames = metric.CounterVec(metric.Ingest, "tapedeck_ingest_frames_total",
		"Frames of blocks that are durable, by tenant; the tenant is other beyond the first 100.", "tenant")
	bytes = metric.CounterVec(metric.Ingest, "tapedeck_ingest_bytes_total",
		"Bytes of encoded blocks that are durable, by tenant; the tenant is other beyond the first 100.", "tenant")
	seconds = metric.Histogram(metric.Ingest, "tapedeck_ingest_seconds",
		// 1 ms to 24 s.
		"Time from offering a block to its being durable.", prometheus.ExponentialBuckets(0.001, 2.5, 12))

	waitingDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_ingest_unacknowledged_blocks",
		"Blocks that were offered and are neither durable nor refused.")
	oldestDesc = metric.GaugeDesc(metric.Ingest, "tapedeck_ingest_oldest_unacknowledged_seconds",
		"Age of the oldest block that was offered and is neither durable nor refused; 0 if there is none.")
)

// counters holds the counters of one tenant.
type counters struct{ durable, refused, failed, frames, bytes prometheus.Counter }

// known maps the tenant label to its counters.
var known sync.Map // string → *counters

// of returns the counters of a tenant. It sets all outcomes to 0 before the first block, so that
// rate() counts the first refused block.
func of(tenant string) *counters {
	label := quota.TenantLabel(tenant)
	if c, is := known.Load(label); is {
		return c.(*counters)
	}
	c, _ := known.LoadOrStore(label, &counters{
		durable: blocks.WithLabelValues(label, durable),
		refused: blocks.WithLabelValues(label, refused), failed: blocks.WithLabelValues(label, failed),
		frames: frames.WithLabelValues(label), bytes: bytes.WithLabelValues(label),
	})
	return c.(*counters)
}

// Publisher counts the blocks that it passes on. It is a prometheus.Collector and safe for use by
// many goroutines.
type Publisher struct {
	next ingest.Publisher

	mu      sync.Mutex // guards waiting
	waiting list.List  // of time.Time: when blocks were offered, oldest first
}

// New returns a publisher that passes blocks to next.
func New(next ingest.Publisher) *Publisher { return &Publisher{next: next} }

// Publish implements ingest.Publisher.
func (p *Publisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	began := time.Now()
	p.mu.Lock()
	place := p.waiting.PushBack(began)
	p.mu.Unlock()
	count, n, size := of(b.Tenant), b.Frames, len(b.Data)
	err := p.next.Publish(ctx, b, func(err error) {
		p.remove(place)
		if err != nil {
			count.failed.Inc()
		} else {
			count.durable.Inc()
			count.frames.Add(float64(n))
			count.bytes.Add(float64(size))
			seconds.Observe(time.Since(began).Seconds())
		}
		done(err)
	})
	if err != nil {
		p.remove(place)
		count.refused.Inc()
	}
	return err
}

func (p *Publisher) remove(place *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.Remove(place)
}

// Describe implements prometheus.Collector.
func (p *Publisher) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(p, descs) }

// Collect implements prometheus.Collector.
func (p *Publisher) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	n, age := p.waiting.Len(), time.Duration(0)
	if oldest := p.waiting.Front(); oldest != nil {
		age = time.Since(oldest.Value.(time.Time))
	}
	p.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(waitingDesc, prometheus.GaugeValue, float64(n))
	metrics <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, age.Seconds())
}

package jetstream

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// collectTimeout bounds how long a scrape waits for JetStream.
const collectTimeout = 2 * time.Second

var (
	upMetric       = describe("up", "1 if JetStream answered, so that the other metrics of this name are present, else 0.")
	messagesMetric = describe("messages", "Messages in the stream of blocks. One holds a block or several.")
	bytesMetric    = describe("bytes", "Bytes in the stream of blocks.")
	limitMetric    = describe("limit_bytes", "Size at which the stream of blocks refuses messages, bytes; with partitions the sum of their sizes.")
	fillMetric     = describe("fill_ratio", "Used part of the limit of the partition that is fullest, from 0 to 1; 0 without a limit.")
	countMetric    = describe("partitions", "JetStream streams over which the blocks are partitioned.")
	unstoredMetric = describe("unstored_messages",
		"Messages in the stream of blocks that the sink has not stored.")
	unstoredBytesMetric = describe("unstored_bytes",
		"Bytes of the messages that the sink has not stored, assuming that all messages have the same size.")
	inFlightMetric = describe("in_flight_messages",
		"Messages that were delivered to sinks and are not acknowledged.")
	redeliveredMetric = describe("redelivered_messages", "Messages in flight that were delivered before.")
	oldestMetric      = describe("oldest_unstored_seconds",
		"Age of the oldest message that the sink has not stored; 0 if all are stored.")
)

func describe(name, help string) *prometheus.Desc {
	return metric.GaugeDesc(metric.Any, "tapedeck_jetstream_"+name, help)
}

// Describe implements prometheus.Collector.
func (r *BacklogReader) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		upMetric, messagesMetric, bytesMetric, limitMetric, fillMetric, countMetric, unstoredMetric, unstoredBytesMetric,
		inFlightMetric, redeliveredMetric, oldestMetric,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (r *BacklogReader) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	b, err := r.Read(ctx)
	if err != nil {
		gauge(upMetric, 0)
		return
	}
	gauge(upMetric, 1)
	gauge(messagesMetric, float64(b.Messages))
	gauge(bytesMetric, float64(b.Bytes))
	gauge(limitMetric, float64(b.Limit))
	gauge(fillMetric, b.Fill)
	gauge(countMetric, float64(b.Partitions))
	gauge(unstoredMetric, float64(b.Unstored))
	gauge(unstoredBytesMetric, float64(b.UnstoredBytes))
	gauge(inFlightMetric, float64(b.InFlight))
	gauge(redeliveredMetric, float64(b.Redelivered))
	gauge(oldestMetric, b.OldestMS/1e3)
}

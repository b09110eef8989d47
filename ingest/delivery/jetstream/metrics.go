package jetstream

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	sentMessages = metric.Counter(metric.Ingest, "tapedeck_publish_messages_total",
		"Messages sent to JetStream; under load one holds several blocks.")
	publishFailures = metric.Counter(metric.Ingest, "tapedeck_publish_failures_total",
		"Messages that JetStream refused or did not acknowledge in time.")
	publishSeconds = metric.Histogram(metric.Ingest, "tapedeck_publish_seconds",
		// 0.5 ms to 12 s.
		"Time from sending a message to JetStream to its acknowledgement.", prometheus.ExponentialBuckets(0.0005, 2.5,
			12))
	publishInFlight = metric.Gauge(metric.Ingest, "tapedeck_publish_in_flight_messages",
		"Messages that were sent to JetStream and are not acknowledged.")
	sentBlocks = metric.Counter(metric.Ingest, "tapedeck_publish_blocks_total",
		"Blocks sent to JetStream.")
)

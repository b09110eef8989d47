package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
	"tapedeck/schema"
)

var (
	exchanges = metric.Counter(metric.Proxy, "tapedeck_proxy_exchanges_total",
		"Requests that were accepted for forwarding.")
	active = metric.Gauge(metric.Proxy, "tapedeck_proxy_exchanges_active",
		"Exchanges in progress, upgraded connections among them.")
	failures = metric.Counter(metric.Proxy, "tapedeck_proxy_upstream_failures_total",
		"Requests to which the upstream did not answer.")
	passed = metric.CounterVec(metric.Proxy, "tapedeck_proxy_bytes_total",
		"Bytes of bodies and tunnels that were forwarded, by direction.", "direction")
	queued = metric.Gauge(metric.Proxy, "tapedeck_proxy_queue_bytes",
		"Bytes that wait to be recorded, with 128 for each head, end and read.")
	overloads = metric.Counter(metric.Proxy, "tapedeck_proxy_overloads_total",
		"Exchanges whose recording ended because the recorder was behind.")
	missedFrames = metric.Counter(metric.Proxy, "tapedeck_proxy_unrecorded_frames_total",
		"Frames not recorded; a read whose frames were not cut counts as one.")
	missedBytes = metric.Counter(metric.Proxy, "tapedeck_proxy_unrecorded_bytes_total",
		"Bytes that were forwarded and not recorded.")

	// passedBytes counts forwarded bytes by direction.
	passedBytes = [2]prometheus.Counter{
		schema.Receive: passed.WithLabelValues(schema.Receive.String()),
		schema.Send:    passed.WithLabelValues(schema.Send.String()),
	}
)

package proxy

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"tapedeck/schema"
)

var (
	exchanges = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_exchanges_total", Help: "Requests that were accepted for forwarding.",
	})
	active = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_proxy_exchanges_active", Help: "Exchanges in progress, upgraded connections among them.",
	})
	failures = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_upstream_failures_total", Help: "Requests to which the upstream did not answer.",
	})
	passed = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_proxy_bytes_total", Help: "Bytes of bodies and tunnels that were forwarded, by direction.",
	}, []string{"direction"})
	overloads = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_overloads_total", Help: "Exchanges whose recording ended because the recorder was behind.",
	})
	missedFrames = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_unrecorded_frames_total", Help: "Frames not recorded; a read whose frames were not cut counts as one.",
	})
	missedBytes = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_unrecorded_bytes_total", Help: "Bytes that were forwarded and not recorded.",
	})

	// passedBytes counts forwarded bytes by direction.
	passedBytes = [2]prometheus.Counter{
		schema.Receive: passed.WithLabelValues(schema.Receive.String()),
		schema.Send:    passed.WithLabelValues(schema.Send.String()),
	}
)

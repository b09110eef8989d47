package proxy

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"tapedeck/schema"
)

var (
	exchanges = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_exchanges_total", Help: "Requests that were taken to be forwarded.",
	})
	active = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_proxy_exchanges_active", Help: "Exchanges that go on now, upgraded connections among them.",
	})
	failures = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_upstream_failures_total", Help: "Requests to which the upstream gave no answer.",
	})
	passed = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "tapedeck_proxy_bytes_total", Help: "Bytes of bodies and tunnels that passed, by direction.",
	}, []string{"direction"})
	overloads = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_overloads_total", Help: "Exchanges whose recording ended because the recorder was behind.",
	})
	missedFrames = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_unrecorded_frames_total", Help: "Frames not recorded; a read whose frames were not cut counts as one.",
	})
	missedBytes = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_proxy_unrecorded_bytes_total", Help: "Bytes that passed and were not recorded.",
	})

	// passedBytes is passed by direction.
	passedBytes = [2]prometheus.Counter{
		schema.Receive: passed.WithLabelValues(schema.Receive.String()),
		schema.Send:    passed.WithLabelValues(schema.Send.String()),
	}
)

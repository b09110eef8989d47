package rollup

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var (
	settledAt = metric.Gauge(metric.Sink, "tapedeck_settled_timestamp_seconds",
		"When usage was last settled, or found to be, in seconds since 1970.")
	unsettledSessions = metric.Gauge(metric.Sink, "tapedeck_unsettled_sessions",
		"Sessions that the last settlement of usage left to be read from the tables.")
	settleFailures = metric.Counter(metric.Sink, "tapedeck_settle_failures_total",
		"Settlements of usage that failed; answers are the same without them.")
	settleSeconds = metric.Histogram(metric.Sink, "tapedeck_settle_seconds",
		"Time of one settlement of usage.", prometheus.ExponentialBuckets(0.01, 4, 9))
)

// WithdrawMetrics removes the metrics of settlements from the metrics of this process, which settles
// nothing: an alert on their values must not fire.
func WithdrawMetrics() {
	for _, m := range []prometheus.Collector{settledAt, unsettledSessions, settleFailures, settleSeconds} {
		prometheus.Unregister(m)
	}
}

// observe records the duration and the result of a settlement.
func observe(took time.Duration, err error) {
	settleSeconds.Observe(took.Seconds())
	if err != nil {
		settleFailures.Inc()
		return
	}
	settledAt.SetToCurrentTime()
}

package settled

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var (
	settledAt = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_settled_timestamp_seconds", Help: "When usage was last settled, or found to be, in seconds since 1970.",
	})
	unsettledSessions = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "tapedeck_unsettled_sessions", Help: "Sessions that the last settlement of usage left to be read from the tables.",
	})
	settleFailures = promauto.NewCounter(prometheus.CounterOpts{
		Name: "tapedeck_settle_failures_total", Help: "Settlements of usage that failed; answers are the same without them.",
	})
	settleSeconds = promauto.NewHistogram(prometheus.HistogramOpts{
		Name: "tapedeck_settle_seconds", Help: "Time of one settlement of usage.", Buckets: prometheus.ExponentialBuckets(0.01, 4, 9),
	})
)

// observe counts a settlement.
func observe(took time.Duration, err error) {
	settleSeconds.Observe(took.Seconds())
	if err != nil {
		settleFailures.Inc()
		return
	}
	settledAt.SetToCurrentTime()
}

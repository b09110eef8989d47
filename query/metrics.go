package query

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// observe notes how long a statement took, until its rows were read.
func observe(name string, began time.Time, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	statementSeconds.WithLabelValues(name, outcome).Observe(time.Since(began).Seconds())
}

var statementSeconds = promauto.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "tapedeck_query_statement_seconds",
	Help:    "Time that statements on ClickHouse took, by their file in query/sql and how they ended.",
	Buckets: prometheus.ExponentialBuckets(0.002, 2.5, 10), // 2 ms to 7.6 s
}, []string{"statement", "outcome"})

package bills

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"tapedeck/internal/problem"
)

var closes = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_bills_closed_total", Help: "Attempts to close a period of a billing account, by result: closed, refused, failed.",
}, []string{"result"})

var closeSeconds = promauto.NewHistogram(prometheus.HistogramOpts{
	Name: "tapedeck_bill_close_seconds", Help: "How long closing a period took.", Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60},
})

var billedRows = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_bill_rows_total", Help: "Rows of closed bills, by class: charge, correction.",
}, []string{"class"})

var periodsCompared = promauto.NewCounter(prometheus.CounterOpts{
	Name: "tapedeck_bill_periods_compared_total", Help: "Closed periods that were compared with what is stored, by closes and previews.",
})

func observeClose(began time.Time, b *Bill, err error) {
	if err != nil {
		result := "failed"
		if p, ok := problem.From(err); ok && p.Status < 500 {
			result = "refused"
		}
		closes.WithLabelValues(result).Inc()
		return
	}
	closes.WithLabelValues("closed").Inc()
	closeSeconds.Observe(time.Since(began).Seconds())
	billedRows.WithLabelValues("charge").Add(float64(b.Rows - b.Corrections))
	billedRows.WithLabelValues("correction").Add(float64(b.Corrections))
}

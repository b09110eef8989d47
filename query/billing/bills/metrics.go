package bills

import (
	"time"

	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
)

var closes = metric.CounterVecOf(metric.API, "tapedeck_bills_closed_total",
	"Attempts to close a period of a billing account, by result: closed, refused, failed.",
	"result", "closed", "refused", "failed")

var closeSeconds = metric.Histogram(metric.API, "tapedeck_bill_close_seconds",
	"How long closing a period took.", []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60})

var billedRows = metric.CounterVec(metric.API, "tapedeck_bill_rows_total",
	"Rows of closed bills, by class: charge, correction.", "class")

var periodsCompared = metric.Counter(metric.API, "tapedeck_bill_periods_compared_total",
	"Closed periods that were compared with what is stored, by closes and previews.")

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

package keys

import (
	"errors"

	"tapedeck/internal/metric"
)

var requests = metric.CounterVec(metric.Ingest, "tapedeck_ingest_keyed_requests_total",
	"Requests with an idempotency key, by outcome: opened, resumed, repeated (the stream had ended), "+
		"superseded (another request took over), mismatch, offset, expired, too_long, failed.", "result")

// count counts a request that failed, by the reason.
func count(err error) {
	result := "failed"
	for _, of := range []struct {
		err  error
		name string
	}{{ErrSuperseded, "superseded"}, {ErrMismatch, "mismatch"}, {ErrOffset, "offset"}, {ErrExpired, "expired"}, {ErrTooLong, "too_long"}} {
		if errors.Is(err, of.err) {
			result = of.name
		}
	}
	requests.WithLabelValues(result).Inc()
}

package keys

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var requests = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_ingest_keyed_requests_total",
	Help: "Requests with an idempotency key, by outcome: opened, resumed, repeated (the stream had ended)," +
		"superseded (another request took over), mismatch, offset, expired, too_long, failed.",
}, []string{"result"})

// count counts a request that failed, by its error.
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

package otlphttp

import (
	"net/http"

	"tapedeck/internal/metric"
	"tapedeck/internal/otlpwire"
)

// Outcomes of requests.
const (
	recorded = "recorded"
	refused  = "refused" // the client does not send it again
	busy     = "busy"    // the client sends it again later
)

// count counts a request by the status of its response.
func count(status int) {
	outcome := refused
	switch {
	case status == http.StatusOK:
		outcome = recorded
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		outcome = busy
	}
	requests.WithLabelValues(outcome).Inc()
}

var (
	requests = metric.CounterVecOf(metric.Ingest, "tapedeck_otlp_requests_total",
		"Export requests of OTLP, by outcome: recorded, refused, or busy (429 and 503, which exporters send again).",
		"outcome", recorded, refused, busy)
	items = metric.CounterVecOf(metric.Ingest, "tapedeck_otlp_items_total",
		"Spans and log records that were recorded, by signal.", "signal", string(otlpwire.Traces), string(otlpwire.Logs))
	bytesTotal = metric.CounterVecOf(metric.Ingest, "tapedeck_otlp_bytes_total",
		"Bytes of export requests that were recorded, their encoding undone, by signal.",
		"signal", string(otlpwire.Traces), string(otlpwire.Logs))
	rejectedTotal = metric.CounterVecOf(metric.Ingest, "tapedeck_otlp_rejected_items_total",
		"Spans and log records that were not recorded although their request was, by signal: their session was deleted, or its name has a secret.",
		"signal", string(otlpwire.Traces), string(otlpwire.Logs))
)

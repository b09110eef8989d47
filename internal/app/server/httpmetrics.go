package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// requestMetrics counts HTTP requests by the pattern of their route, never by the path, so that
// clients cannot add label values.
type requestMetrics struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	open    prometheus.Gauge
}

var (
	requestsTotal = metric.Define(metric.Any, metric.CounterKind, "tapedeck_http_requests_total",
		"HTTP requests that were answered, by the pattern of the route, method and status.", "route", "method", "code")
	requestSeconds = metric.Define(metric.Any, metric.HistogramKind, "tapedeck_http_request_seconds",
		"Time from a request's head to the end of its answer. Streams take as long as they are read.", "route", "method")
	requestsOpen = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_http_requests_open",
		"HTTP requests under way, streams and WebSockets among them.")
)

func newRequestMetrics() *requestMetrics {
	return &requestMetrics{
		total: requestsTotal.CounterVec(), open: requestsOpen.Gauge(),
		seconds: requestSeconds.HistogramVec([]float64{0.005, 0.025, 0.1, 0.5, 2, 10, 60}),
	}
}

// Describe implements prometheus.Collector.
func (m *requestMetrics) Describe(descs chan<- *prometheus.Desc) {
	m.total.Describe(descs)
	m.seconds.Describe(descs)
	m.open.Describe(descs)
}

// Collect implements prometheus.Collector.
func (m *requestMetrics) Collect(metrics chan<- prometheus.Metric) {
	m.total.Collect(metrics)
	m.seconds.Collect(metrics)
	m.open.Collect(metrics)
}

// count is middleware before routing, so that it counts requests that later middleware refuses. It
// answers errors itself to learn their status.
func (m *requestMetrics) count(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		m.open.Inc()
		defer func() { // runs even if a handler aborts the answer by a panic
			m.open.Dec()
			route, method := routeLabel(c), methodLabel(c.Request().Method)
			m.total.WithLabelValues(route, method, strconv.Itoa(c.Response().Status)).Inc()
			m.seconds.WithLabelValues(route, method).Observe(time.Since(began).Seconds())
		}()
		if err := next(c); err != nil {
			c.Error(err)
		}
		return nil
	}
}

// noRoute is the label of requests without a matching route.
const noRoute = "none"

// routeLabel returns the pattern of the route of a request.
func routeLabel(c echo.Context) string {
	if p := c.Path(); p != "" {
		return p
	}
	return noRoute
}

// methodLabel returns the label of a method; "other" for unknown methods, which clients can invent.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

package server

import (
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ServeMetrics answers GET /metrics on a listener with the metrics of the process, for commands
// that have no other server. It returns when the listener is closed.
func ServeMetrics(l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.Handler())
	s := &http.Server{Handler: mux, ReadHeaderTimeout: DefaultHeaderTimeout, WriteTimeout: time.Minute}
	return s.Serve(l)
}

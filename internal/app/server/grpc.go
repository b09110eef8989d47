package server

import (
	"net/http"
	"slices"

	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/problem"
)

var grpcMethods = []string{otlphttp.TracesMethod, otlphttp.LogsMethod, otlphttp.MetricsMethod}

// grpcAlone returns a handler that passes on the calls of OTLP over gRPC. Clients of gRPC map 404 to
// UNIMPLEMENTED.
func grpcAlone(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(grpcMethods, r.URL.Path) {
			problem.Write(w, &problem.Problem{
				Status: http.StatusNotFound, Detail: "This port takes OTLP over gRPC, and nothing is served at " + r.URL.Path + ".",
				Hint: "The API is at the address that --listen sets.",
			})
			return
		}
		next.ServeHTTP(w, r)
	})
}

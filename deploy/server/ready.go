package server

import (
	"encoding/json"
	"net/http"

	"tapedeck/deploy/health"
)

// serveReady answers /readyz: 200 if this process is ready, otherwise 503. The
// body contains every check in either case.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	answer := health.Readiness{Ready: true, Version: s.Node.Version, Checks: s.Node.Checks(r.Context())}
	if s.Checks != nil {
		answer.Checks = append(answer.Checks, s.Checks()...)
	}
	for _, c := range answer.Checks {
		answer.Ready = answer.Ready && (c.OK || c.Advisory)
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // the client has left
}

package server

import (
	"context"
	"encoding/json"
	"net/http"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/health"
)

// serveReady answers /readyz: 200 if this process is ready, otherwise 503. The body contains every
// check; with tokens only administrators of the server see them.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	answer := s.readiness(r.Context())
	if p := access.From(r.Context()); p == nil || !p.Operates() {
		answer.Version, answer.Checks = "", []health.Check{} // the checks name other servers
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // a write error means that the client has disconnected
}

// readiness runs every check.
func (s *Server) readiness(ctx context.Context) health.Readiness {
	answer := health.Readiness{Ready: true, Version: s.Node.Version, Checks: s.Node.Checks(ctx)}
	if s.Checks != nil {
		answer.Checks = append(answer.Checks, s.Checks()...)
	}
	if s.Tokens != nil {
		check := health.Check{Part: "tokens", OK: true, Detail: "tokens can be checked"}
		if err := s.Guards.Check(); err != nil {
			check.OK, check.Detail = false, "NATS has not confirmed the tokens for too long; requests are answered 503"
		}
		answer.Checks = append(answer.Checks, check)
	}
	if s.stopping.Load() {
		answer.Checks = append(answer.Checks,
			health.Check{Part: "stopping", Detail: "the process is ending; another one takes its requests"})
	}
	for _, c := range answer.Checks {
		answer.Ready = answer.Ready && (c.OK || c.Advisory)
	}
	return answer
}

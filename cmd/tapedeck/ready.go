package main

import (
	"encoding/json"
	"net/http"
	"time"
)

// check is how one part of a server is doing.
type check struct {
	Part string `json:"part"`
	OK   bool   `json:"ok"`
	// Advisory marks a failure that needs an operator but leaves the process ready.
	Advisory bool   `json:"advisory,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Do       string `json:"do,omitempty"` // what to do about it
	State    any    `json:"state,omitempty"`
}

// readiness is the answer of /readyz: ready unless a check fails that is not advisory.
type readiness struct {
	Ready   bool    `json:"ready"`
	Version string  `json:"version"`
	Checks  []check `json:"checks"`
}

// deadLettersPart is the check that tells of blocks which were set aside.
const deadLettersPart = "dead_letters"

// readyTimeout bounds the question to each server.
const readyTimeout = 2 * time.Second

// serveReady answers /readyz: 200 while this process does its work, otherwise 503. The
// body has every check in either case.
func (s *server) serveReady(w http.ResponseWriter, r *http.Request) {
	answer := readiness{Ready: true, Version: version, Checks: s.node.checks(r.Context())}
	if s.extraChecks != nil {
		answer.Checks = append(answer.Checks, s.extraChecks()...)
	}
	for _, c := range answer.Checks {
		answer.Ready = answer.Ready && (c.OK || c.Advisory)
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // the client is gone
}

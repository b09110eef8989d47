package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// check is how one part of a server is doing.
type check struct {
	Part   string `json:"part"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	State  any    `json:"state,omitempty"`
}

// readiness is the answer of /readyz: ready once every part is.
type readiness struct {
	Ready   bool    `json:"ready"`
	Version string  `json:"version"`
	Checks  []check `json:"checks"`
}

// deadLettersPart is the check that tells of blocks which were set aside.
const deadLettersPart = "dead_letters"

// readyTimeout bounds the question to each server.
const readyTimeout = 2 * time.Second

// checks asks every part that this process needs.
func (n *node) checks(ctx context.Context) []check {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	all := []check{{Part: "nats", OK: n.nc.IsConnected(), Detail: n.nc.Status().String()}}
	if err := n.streams.Load(); err != nil {
		all = append(all, check{Part: "jetstream", Detail: (*err).Error()})
	}
	if n.db != nil {
		c := check{Part: "clickhouse", OK: true}
		if err := n.db.Ping(ctx); err != nil {
			c.OK, c.Detail = false, err.Error()
		}
		all = append(all, c)
	}
	if n.sink != nil {
		st := n.sink.Status()
		all = append(all, check{Part: "sink", OK: st.OK, Detail: st.Error, State: st})
	}
	if letters, bytes, err := n.dead.Count(ctx); err == nil { // else JetStream's trouble tells
		c := check{Part: deadLettersPart, OK: true, State: map[string]uint64{"blocks": letters, "bytes": bytes}}
		if letters > 0 { // which is for a person to look at, and no reason to send nothing here
			c.Detail = fmt.Sprintf("%s set aside: storing failed", count(letters, "block"))
		}
		all = append(all, c)
	}
	if n.spool != nil {
		st := n.spool.State()
		all = append(all, check{Part: "spool", OK: !st.Full, Detail: st.DiskError, State: st})
	}
	return all
}

// serveReady answers /readyz: 200 when every part is well, else 503; the body
// says which is not.
func (s *server) serveReady(w http.ResponseWriter, r *http.Request) {
	answer := readiness{Ready: true, Version: version, Checks: s.node.checks(r.Context())}
	if s.extraChecks != nil {
		answer.Checks = append(answer.Checks, s.extraChecks()...)
	}
	for _, c := range answer.Checks {
		answer.Ready = answer.Ready && c.OK
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // the client is gone
}

package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/retention"
	"tapedeck/internal/problem"
	"tapedeck/query/billing/bills"
	"tapedeck/replay"
	"tapedeck/schema/lifecycle/tombstone"
)

// newRetention returns the retention service of a server with the role api.
func (s *Server) newRetention() *retention.Service {
	o := s.Retain
	o.NATS, o.DB, o.Audit, o.Announce, o.Log = s.Node.NATS, s.Node.Work, s.Node.Audit, s.Node.Changes.Sessions, s.Log
	return retention.New(o)
}

// retentionRoutes adds the routes of retention.
func (s *Server) retentionRoutes(rt *routeTable) {
	rt.add([]row{
		{admins, audit.RetentionRead, getHead, "/v1/retention", nil, only(forTenant(s.retention.ServeShow))},
		{admins, audit.RetentionChange, put, "/v1/retention", nil, only(forTenant(s.retention.ServeSet))},
		{admins, audit.RetentionRead, getHead, "/v1/retention/preview", nil, only(forTenant(s.retention.ServePreview), "kind", "max_age_s", "max_bytes")},
	})
}

// framesRoutes are the routes of a session that need its frames, after its id.
var framesRoutes = []string{"/frames", "/replay", "/tape", "/redecode", "/emulation", "/density"}

// needsFrames reports whether a route reads the frames of a session.
func needsFrames(path string) bool {
	if strings.HasPrefix(path, "/emulate/") {
		return true
	}
	rest := strings.TrimPrefix(path, "/v1/sessions/:id")
	for _, route := range framesRoutes {
		if strings.HasPrefix(rest, route) {
			return true
		}
	}
	return false
}

// framesExpired returns the problem for a session whose frames have expired, nil for other
// sessions.
func (s *Server) framesExpired(ctx context.Context, of tombstone.Key) *problem.Problem {
	at, err := s.tapes.FramesExpired(ctx, of.Tenant, of.Session)
	if errors.Is(err, replay.ErrNoSession) { // all of it may have expired
		at, err = s.retention.Store().FramesExpired(ctx, of.Tenant, of.Session)
	}
	if err != nil || at.IsZero() {
		return nil // ClickHouse does not answer; the handler reports it
	}
	return &problem.Problem{
		Title: "Frames expired", Status: http.StatusGone,
		Detail: fmt.Sprintf("The frames of session %q expired on %s. Its facts and charges remain.", of.Session,
			at.Format(time.DateOnly)),
	}
}

// checkFrames returns an error for a session whose frames have expired, for callers that decode the
// frames.
func (s *Server) checkFrames(ctx context.Context, tenant, session string) error {
	at, err := s.retention.Store().FramesExpired(ctx, tenant, session)
	if err != nil || at.IsZero() {
		return nil // ClickHouse does not answer; the reader of the frames reports it
	}
	return &bills.ExpiredError{Session: session, At: at}
}

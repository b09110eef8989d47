package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/quota"
	"tapedeck/query/endpoint"
)

// Concurrency holds the semaphores that bound concurrent requests, by tenant and in total. A nil
// semaphore sets no bound.
type Concurrency struct {
	Streams      *quota.Gate // streams that are recorded: bodies, WebSockets, requests of recorders, imports
	Replays      *quota.Gate // playbacks of stored sessions, and emulations
	Followers    *quota.Gate // playbacks of running sessions
	Exports      *quota.Gate // answers of any length: tapes, charges, bills, the audit log
	Comparisons  *quota.Gate // comparisons of two sessions; a request waits for a while
	MCPRequests  *quota.Gate // requests at mcpserver.Path; a request waits for a while
	AlertStreams *quota.Gate // streams of alerts
}

// register adds the semaphores to the metrics.
func (c *Concurrency) register(s *Server) {
	s.metrics.MustRegister(quota.Collector{c.Streams, c.Replays, c.Followers, c.Exports, c.Comparisons, c.MCPRequests, c.AlertStreams})
}

// always returns a function that selects a semaphore for every request of a route.
func always(sem *quota.Gate) func(*http.Request) *quota.Gate {
	return func(*http.Request) *quota.Gate { return sem }
}

// limited is middleware that acquires a slot of a semaphore until the request ends. limit returns
// the semaphore of a request, nil for none.
func limited(limit func(*http.Request) *quota.Gate, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		release, err := limit(r).Enter(access.Tenant(r.Context()))
		if err != nil {
			return err
		}
		held := &slot{release: release}
		defer held.end()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), slotKey{}, held)))
		return next(c)
	}
}

type slotKey struct{}

// slot is the slot of a semaphore that a request holds.
type slot struct {
	release func()
	kept    bool // the slot outlives the request
}

// end releases the slot at the end of its request, unless it is kept.
func (s *slot) end() {
	if !s.kept {
		s.release()
	}
}

// keepSlot keeps the slot of a request after the request, for a connection that outlives it. The
// caller calls release, which does nothing for a request without a slot.
func keepSlot(r *http.Request) (release func()) {
	s, held := r.Context().Value(slotKey{}).(*slot)
	if !held {
		return func() {}
	}
	s.kept = true
	return s.release
}

// replayLimit returns the semaphore of a playback.
func (s *Server) replayLimit(r *http.Request) *quota.Gate {
	switch r.URL.Query().Get("follow") {
	case "", "0", "false":
		return s.Concurrency.Replays
	}
	return s.Concurrency.Followers
}

// exportLimit returns the semaphore for an answer of any length, nil for a page.
func (s *Server) exportLimit(r *http.Request) *quota.Gate {
	switch r.URL.Query().Get("format") {
	case "", "json":
		return nil
	}
	return s.Concurrency.Exports
}

// alertLimit returns the semaphore for a stream of alerts, nil for a page of them.
func (s *Server) alertLimit(r *http.Request) *quota.Gate {
	if endpoint.WantsEvents(r) {
		return s.Concurrency.AlertStreams
	}
	return nil
}

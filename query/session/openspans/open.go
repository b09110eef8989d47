// Package openspans reads what runs now: the open sessions and their open spans.
package openspans

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
)

var statements = query.Statements("session/openspans", "sessionfilter")

// Statuses are the statuses of sessions that run.
var Statuses = []sessionhead.Status{sessionhead.Running, sessionhead.Quiet}

// Query selects a page of the open sessions.
type Query struct {
	Tenant string
	sessionfilter.Filter
	Sort   sessionfilter.Sort // "" means the earliest start first
	Limit  int                // sessions on a page, at least 1
	Cursor string
	Usuals *toolreport.Usuals // nil reads the times of earlier calls each time
}

// Session is an open session with its open spans.
type Session struct {
	ID      string             `json:"session_id"`
	Title   string             `json:"title"`
	Status  sessionhead.Status `json:"status"` // running or quiet
	Agents  []string           `json:"agents"`
	Tags    map[string]string  `json:"tags"`
	Started time.Time          `json:"started"`
	LastAt  time.Time          `json:"last_at"`
	// RunningMS is the time since the start, SilentMS the time since the last frame.
	RunningMS *float64 `json:"running_ms"`
	SilentMS  *float64 `json:"silent_ms"`
	// OpenSpans counts all open spans. Spans are the first of them, ordered by start.
	OpenSpans uint64 `json:"open_spans"`
	Spans     []Span `json:"spans"`
}

// Read returns a page of the open sessions.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Session], error) {
	if len(q.Statuses) == 0 {
		q.Statuses = Statuses
	}
	if q.Sort == "" {
		q.Sort = "started"
	}
	list, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: q.Tenant, Filter: q.Filter, Sort: q.Sort,
		Limit: q.Limit, Cursor: q.Cursor})
	if err != nil {
		return nil, err
	}
	page := &query.Page[Session]{Items: make([]Session, len(list.Items)), Next: list.Next}
	for i := range list.Items {
		s := &list.Items[i]
		page.Items[i] = Session{ID: s.ID, Title: s.Title, Status: s.Status, Agents: s.Agents, Tags: s.Tags,
			Started: s.Started, LastAt: s.LastAt, RunningMS: s.RunningMS, SilentMS: s.SilentMS, Spans: []Span{}}
	}
	return page, addSpans(ctx, r, q.Tenant, page.Items, q.Usuals)
}

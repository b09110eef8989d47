package reconcile

import (
	"context"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/findings"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
)

// Session is one session's usage and its findings.
type Session struct {
	ID      string             `json:"session_id"`
	Started time.Time          `json:"started"`
	Status  sessionhead.Status `json:"status"`
	Title   string             `json:"title"`
	findings.Usage
}

// Query selects a page of sessions.
type Query struct {
	Tenant   string
	Filter   sessionfilter.Filter
	Findings []string // only sessions with any of these; empty for all
	Limit    int      // at least 1
	Cursor   string
}

// mostPages bounds how many pages of the session list are read for one page. If few sessions have
// findings, a page may be short or empty, and Next continues.
const mostPages = 8

// Read returns a page of sessions, newest first. Any page may hold fewer sessions than Limit.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Session], error) {
	page := &query.Page[Session]{Items: []Session{}}
	list := sessionlist.Query{Tenant: q.Tenant, Filter: q.Filter, Limit: q.Limit, Cursor: q.Cursor}
	for range mostPages {
		list.Limit = max(q.Limit-len(page.Items), 1)
		heads, err := sessionlist.Read(ctx, r, list)
		if err != nil {
			return nil, err
		}
		of := make([]findings.Session, len(heads.Items))
		for i := range heads.Items {
			of[i] = findings.Session{ID: heads.Items[i].ID, First: heads.Items[i].Started, Last: heads.Items[i].LastAt}
		}
		used, err := findings.OfSessions(ctx, r, q.Tenant, of)
		if err != nil {
			return nil, err
		}
		for i := range used {
			h := &heads.Items[i]
			if s := (Session{ID: h.ID, Started: h.Started, Status: h.Status, Title: h.Title,
				Usage: used[i]}); s.has(q.Findings) {
				page.Items = append(page.Items, s)
			}
		}
		page.Next = heads.Next
		if heads.Next == nil || len(q.Findings) == 0 || 2*len(page.Items) >= q.Limit {
			break
		}
		list.Cursor = *heads.Next
	}
	return page, nil
}

func (s *Session) has(codes []string) bool {
	return len(codes) == 0 || slices.ContainsFunc(s.Findings, func(f findings.Finding) bool {
		return slices.Contains(codes, f.Code)
	})
}

// Package sessionlist reads pages of the list of sessions.
package sessionlist

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/sessionfilter"
)

var statements = query.Statements("session/sessionlist", "sessionfilter")

// Query selects a page of the list.
type Query struct {
	Tenant string
	sessionfilter.Filter
	Sort   sessionfilter.Sort // "" means newest first
	Limit  int                // sessions on a page, at least 1
	Cursor string
	Limits sessionfilter.Limits // of the search for sessions
	Within time.Duration        // see Read; 0 means DefaultWithin
}

// DefaultWithin is the default of Query.Within.
const DefaultWithin = 10 * time.Second

// Read returns a page of the list. Some filters can only be checked on the summary of a session. With
// them a page ends after the time Within: it has the sessions found by then, and Next continues after
// the last session that was checked. If none was found by then, the error is a *problem.Problem.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[sessionhead.Summary], error) {
	sort := cmp.Or(q.Sort, sessionfilter.Sorts[0])
	list := "sessions " + string(sort)
	after, err := query.ParseMark(list, q.Cursor)
	if err != nil {
		return nil, err
	}
	sessions := &sessionfilter.Selection{Tenant: q.Tenant, Filter: q.Filter, Sort: sort, Limits: q.Limits}
	if err := sessions.Prepare(ctx, r, after); err != nil {
		return nil, err
	}
	until := time.Now().Add(cmp.Or(q.Within, DefaultWithin))
	batch := q.Limit + 1
	if len(q.Statuses) > 0 || len(q.Dialects) > 0 || q.Unpriced {
		batch = max(batch, 200)
	}
	page := &query.Page[sessionhead.Summary]{Items: []sessionhead.Summary{}}
	var last query.Mark // mark of the last item
	var found []*sessionfilter.Summary
	for {
		ids, err := sessions.Read(ctx, r, after, batch)
		if err != nil {
			return nil, err
		}
		summaries, err := sessions.Summaries(ctx, r, ids)
		if err != nil {
			return nil, err
		}
		for i := range ids {
			s := summaries[ids[i].ID]
			if s == nil || !q.Passes(&s.Summary) {
				continue // the session was deleted meanwhile or does not pass
			}
			if len(found) == q.Limit {
				page.Next = last.Cursor()
				return page, fill(ctx, r, q.Tenant, page, found)
			}
			found = append(found, s)
			last = query.Mark{List: list, Key: ids[i].SortKey, ID: ids[i].ID, Now: sessions.Now()}
		}
		if len(ids) < batch {
			return page, fill(ctx, r, q.Tenant, page, found)
		}
		end := ids[len(ids)-1]
		after = &query.Mark{List: list, Key: end.SortKey, ID: end.ID, Now: sessions.Now()}
		if q.BySummary() && time.Now().After(until) {
			if len(found) == 0 {
				return nil, errNoneInTime
			}
			page.Next = after.Cursor()
			return page, fill(ctx, r, q.Tenant, page, found)
		}
	}
}

// errNoneInTime is the error of a page for which the time was over before a session was found.
var errNoneInTime = &problem.Problem{
	Status: http.StatusServiceUnavailable,
	Detail: "Of the sessions that were checked in time none passes the filter. Others were not checked.",
	Hint:   "Narrow the list with from and to, or with a further filter such as model, agent or tag.",
}

// fill adds sessions to a page, with their ends.
func fill(
	ctx context.Context, r *query.Reader, tenant string,
	page *query.Page[sessionhead.Summary], found []*sessionfilter.Summary,
) error {
	if err := setEnds(ctx, r, tenant, found); err != nil {
		return err
	}
	for _, s := range found {
		page.Items = append(page.Items, s.Summary)
	}
	return nil
}

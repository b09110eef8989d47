// Package sessionlist reads pages of the list of sessions.
package sessionlist

import (
	"cmp"
	"context"

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
}

// Read returns a page of the list.
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
	// Some filters can only be checked on the summary of a session. So sessions are read in batches
	// until the page is full.
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
		after = &query.Mark{List: list, Key: end.SortKey, ID: end.ID}
	}
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

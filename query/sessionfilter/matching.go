package sessionfilter

import (
	"context"
	"strconv"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
)

// matchingMost bounds the number of sessions that Matching returns.
const matchingMost = 1_000_000

// matchingBatch is the number of sessions whose summaries are read at once.
const matchingBatch = 2000

// Matching returns the ids of all sessions that pass a filter.
func Matching(ctx context.Context, r *query.Reader, tenant string, f *Filter) ([]string, error) {
	ids, more, err := selected(ctx, r, Selection{Tenant: tenant, Filter: *f, Sort: "started"}, matchingMost)
	if more {
		return nil, &problem.Problem{
			Title: "Too many sessions", Status: 400,
			Detail: "More than " + strconv.Itoa(matchingMost) + " sessions pass the filter.",
			Hint:   "Narrow the filter, or leave it out.",
		}
	}
	return ids, err
}

// MatchingUpTo returns the ids of the sessions that pass a filter, the oldest ones up to a number
// of them, and whether there are more.
func MatchingUpTo(
	ctx context.Context, r *query.Reader, tenant string, f *Filter, most int,
) (ids []string, more bool, err error) {
	return selected(ctx, r, Selection{Tenant: tenant, Filter: *f, Sort: "started"}, most)
}

// Among returns the ids of the given sessions that pass a filter.
func Among(ctx context.Context, r *query.Reader, tenant string, f *Filter, sessions []string) ([]string, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	ids, _, err := selected(ctx, r, Selection{Tenant: tenant, Filter: *f, Sort: "started", only: sessions}, len(sessions))
	return ids, err
}

// selected returns the ids of up to most sessions of a selection, and whether there are more.
func selected(ctx context.Context, r *query.Reader, q Selection, most int) (matching []string, more bool, err error) {
	f := &q.Filter
	shows := f.BySummary()
	batch := most + 1
	if shows {
		batch = matchingBatch
	}
	// Otherwise only the streams of few sessions are read.
	if q.only == nil || shows || f.MinCost != nil || f.MaxCost != nil {
		if q.view, err = rollup.Read(ctx, r, q.Tenant, nil, nil); err != nil {
			return nil, false, err
		}
	}
	if q.open, err = openFor(ctx, r, &q, nil); err != nil {
		return nil, false, err
	}
	for after := (*query.Mark)(nil); ; {
		ids, err := readIDs(ctx, r, &q, after, batch)
		if err != nil {
			return nil, false, err
		}
		passing, err := passingSummaries(ctx, r, &q, ids, shows)
		if err != nil {
			return nil, false, err
		}
		if matching = append(matching, passing...); len(matching) > most {
			return matching[:most], true, nil
		}
		if len(ids) < batch {
			return matching, false, nil
		}
		end := ids[len(ids)-1]
		after = &query.Mark{Key: end.SortKey, ID: end.ID}
	}
}

// passingSummaries returns the ids of the sessions whose summaries pass the filter. It reads no
// summaries unless shows is true.
func passingSummaries(ctx context.Context, r *query.Reader, q *Selection, ids []Session, shows bool) ([]string, error) {
	var sessions map[string]*Summary
	if shows {
		var err error
		if sessions, err = readSummaries(ctx, r, q.Tenant, ids, q.view); err != nil {
			return nil, err
		}
	}
	var list []string
	for i := range ids {
		if s := sessions[ids[i].ID]; !shows || s != nil && q.Passes(&s.Summary) {
			list = append(list, ids[i].ID)
		}
	}
	return list, nil
}

package toolreport

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/report/grouping"
)

// maxUnclosedBatch bounds the calls without an end that are in memory at a time.
const maxUnclosedBatch = 5000

// withUnclosed adds the tool calls without an end, which do not run, to the n slowest of the others,
// and returns the n slowest of all. Such a call lasted until its stream or session ended, or before
// that the run around it, as on the timeline of its session.
//
// ClickHouse orders the calls by the longest time that they can have lasted, and the run can only
// shorten it. So the calls are read in batches until no further one can be among the n slowest.
func withUnclosed(ctx context.Context, r *query.Reader, b *grouping.Report, rows []slowRow, n int) ([]slowRow, error) {
	for skip, size := 0, min(2*n+50, maxUnclosedBatch); ; size = min(4*size, maxUnclosedBatch) {
		least := int64(0)
		if len(rows) == n {
			least = rows[n-1].Took
		}
		batch, err := grouping.Ask[slowRow](ctx, r, statements, b, "tools_unclosed",
			b.Args.With("batch", size).With("skip", skip).With("least", least))
		if err != nil {
			return nil, err
		}
		more := len(batch) == size
		if more {
			least = batch[size-1].Took
		}
		if batch, err = exact(ctx, r, b.Tenant, batch); err != nil {
			return nil, err
		}
		rows = slowestOf(append(rows, batch...), n)
		if !more || len(rows) == n && rows[n-1].Took >= least {
			return rows, nil
		}
		skip += size
	}
}

// exact sets how long calls without an end lasted. It leaves out calls of sessions that were deleted
// meanwhile.
func exact(ctx context.Context, r *query.Reader, tenant string, rows []slowRow) ([]slowRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	ids, keys := make([]string, len(rows)), make([]spanmerge.Key, len(rows))
	for i, row := range rows {
		ids[i], keys[i] = row.Session, spanmerge.Key{Session: row.Session, ID: row.Span}
	}
	slices.Sort(ids)
	sessions, err := sessionstreams.ReadStreams(ctx, r, tenant, sessionstreams.Shape{Ends: true},
		query.Args{"tenant": tenant, "sessions": slices.Compact(ids)})
	if err != nil || len(sessions) == 0 {
		return nil, err
	}
	ends := make(map[string]int64, len(sessions))
	for i := range sessions {
		ends[sessions[i].ID] = sessions[i].End
	}
	spans, err := spanmerge.ByID(ctx, r, tenant, sessions, keys)
	if err != nil {
		return nil, err
	}
	list := rows[:0]
	for i, row := range rows {
		if s, ok := spans[keys[i]]; ok && s.Open() {
			row.Took, row.Unclosed = s.OpenFor(ends[row.Session]), true
			list = append(list, row)
		}
	}
	return list, nil
}

// slowestOf returns the n calls that took longest, the longest first.
func slowestOf(rows []slowRow, n int) []slowRow {
	slices.SortFunc(rows, func(a, b slowRow) int {
		return cmp.Or(-cmp.Compare(a.Took, b.Took), cmp.Compare(a.SeenAt, b.SeenAt),
			cmp.Compare(a.Session, b.Session), cmp.Compare(a.Span, b.Span))
	})
	return rows[:min(n, len(rows))]
}

package spanmerge

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Key names a span.
type Key struct{ Session, ID string }

type sessionSpan struct {
	Session string `ch:"session_id"`
	Span
}

// maxAbove bounds how many spans above a span ByID reads, for sources that nest spans without end.
const maxAbove = 64

// ByID returns some spans of several sessions as OfSession returns them, by their keys, and the spans
// above them up to their runs. It reads no other spans of the sessions. A span that does not exist is
// missing. If more than 64 spans lie between a span and its run, the end of that run is not regarded.
func ByID(
	ctx context.Context, r *query.Reader, tenant string, sessions []sessionstreams.Row, wanted []Key,
) (map[Key]Span, error) {
	ends := map[Key]int64{} // of streams
	var first, last int64
	for i := range sessions {
		s := &sessions[i]
		if i == 0 {
			first, last = s.Started, s.Last
		}
		first, last = min(first, s.Started), max(last, s.Last)
		for j, id := range s.StreamIDs {
			ends[Key{s.ID, id}] = s.StreamEnds[j]
		}
	}
	asked := map[Key]bool{}
	found := map[string][]Span{} // by session
	for depth := 0; depth <= maxAbove && len(wanted) > 0; depth++ {
		for _, key := range wanted {
			asked[key] = true
		}
		level, err := mergedByID(ctx, r, wanted, ends, query.Args{"tenant": tenant}.Within(first, last))
		if err != nil {
			return nil, err
		}
		wanted = nil
		above := map[Key]bool{}
		for session, spans := range level {
			found[session] = append(found[session], spans...)
			for i := range spans {
				s, parent := &spans[i], Key{session, spans[i].Parent}
				isRun := depth > 0 && s.Kind == string(schema.SpanRun)
				if parent.ID != "" && !isRun && !asked[parent] && !above[parent] {
					above[parent] = true
					wanted = append(wanted, parent)
				}
			}
		}
	}
	spans := map[Key]Span{}
	for session, list := range found {
		closeWithRuns(list)
		for i := range list {
			spans[Key{session, list[i].ID}] = list[i]
		}
	}
	return spans, nil
}

// mergedByID returns the spans with the keys, merged, by session.
func mergedByID(
	ctx context.Context, r *query.Reader, keys []Key, ends map[Key]int64, a query.Args,
) (map[string][]Span, error) {
	wanted := make(map[Key]bool, len(keys))
	sessions, ids := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		wanted[key] = true
		sessions[i], ids[i] = key.Session, key.ID
	}
	rows, err := query.Ask[sessionSpan](ctx, r, statements, "spans_by_id", nil,
		a.With("sessions", sessions).With("spans", ids))
	if err != nil {
		return nil, err
	}
	views := map[string][]Span{}
	for i := range rows {
		row := &rows[i]
		if !wanted[Key{row.Session, row.ID}] {
			continue // the id is that of a span of another session
		}
		if Finality(row.Status) == 1 {
			row.Closed = ends[Key{row.Session, row.Stream}]
		}
		views[row.Session] = append(views[row.Session], row.Span)
	}
	for session := range views {
		views[session] = Merge(views[session])
	}
	return views, nil
}

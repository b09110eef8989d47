package sessionlist

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/sessionfilter"
)

// setEnds sets the ends of sessions that are over and the open spans of the others. It reads the
// spans of all sessions that need them and are not settled with one statement.
func setEnds(ctx context.Context, r *query.Reader, tenant string, sessions []*sessionfilter.Summary) error {
	var ids []sessionfilter.Session
	var last []int64
	of := make(map[string]*sessionhead.EndRow, len(sessions))
	for _, s := range sessions {
		if s.SpanCounts.FailedRuns+s.SpanCounts.CancelledRuns+s.SpanCounts.UnclosedSpans+s.SpanCounts.OpenSpans == 0 {
			continue
		}
		if s.EndRow != nil {
			of[s.ID] = s.EndRow
			continue
		}
		ids = append(ids, sessionfilter.Session{ID: s.ID, Started: s.StreamRow.Started, Last: s.StreamRow.Last})
		last = append(last, s.StreamRow.Last)
	}
	if len(ids) > 0 {
		rows, err := query.Ask[sessionhead.EndRow](ctx, r, statements, "session_ends", nil,
			sessionfilter.Parameters(tenant, ids).With("last", last))
		if err != nil {
			return err
		}
		for i := range rows {
			of[rows[i].ID] = &rows[i]
		}
	}
	for _, s := range sessions {
		var spans []spanmerge.Span
		if row := of[s.ID]; row != nil {
			spans = row.Spans()
		}
		s.End = sessionhead.NewEnd(&s.Head, s.StreamRow, s.SpanCounts.Runs, spans)
		s.OpenSpan = sessionhead.OpenSpan(&s.Head, spans)
	}
	return nil
}

package sessionlist

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/sessionhead"
	"tapedeck/query/sessionstreams"
)

// sessionUsageRow is what a session used.
type sessionUsageRow struct {
	ID string `ch:"session_id"`
	query.SpentRow
}

// sessionSummary is a session with the rows that it was made from.
type summary struct {
	sessionhead.Summary
	streams *sessionstreams.Row
	spans   *sessionhead.SpanCounts
}

// readSummaries returns all that the list shows of the sessions, by id, but for their ends
// (see setEnds). Sessions that are not there are left out.
func readSummaries(ctx context.Context, r *query.Reader, tenant string, ids []sessionID) (map[string]*summary, error) {
	sessions := make(map[string]*summary, len(ids))
	if len(ids) == 0 {
		return sessions, nil
	}
	oldest := ids[0].OldestStream
	for i := range ids {
		oldest = min(oldest, ids[i].OldestStream)
	}
	a := inSessions(tenant, ids)
	now := r.Now()
	streams, err := sessionstreams.ReadStreams(ctx, r, sessionstreams.Shape{Since: oldest > 0}, a.With("oldest_stream", oldest))
	if err != nil {
		return nil, err
	}
	spans, err := query.Ask[sessionhead.SpanCounts](ctx, r, statements, "session_spans", nil, a)
	if err != nil {
		return nil, err
	}
	spansOf := make(map[string]*sessionhead.SpanCounts, len(spans))
	for i := range spans {
		spansOf[spans[i].ID] = &spans[i]
	}
	for i := range streams {
		row := &streams[i]
		found := spansOf[row.ID]
		if found == nil {
			found = &sessionhead.SpanCounts{}
		}
		sessions[row.ID] = &summary{*sessionhead.Summarize(row, r, found, now), row, found}
	}
	spent, err := readSpent(ctx, r, tenant, ids)
	if err != nil {
		return nil, err
	}
	for id, s := range sessions {
		s.Spent = spent[id]
	}
	return sessions, nil
}

// readSpent returns what the sessions used, by id; those that used nothing are left out.
// It asks only if that was not looked up before.
func readSpent(ctx context.Context, r *query.Reader, tenant string, ids []sessionID) (map[string]query.Spent, error) {
	spent := make(map[string]query.Spent, len(ids))
	if ids[0].spent != nil { // then of all of them
		for i := range ids {
			spent[ids[i].ID] = *ids[i].spent
		}
		return spent, nil
	}
	pricer, err := r.Pricer(ctx, tenant)
	if err != nil {
		return nil, err
	}
	shape := newCellShape(pricer.Split)
	usage, err := query.Ask[sessionUsageRow](ctx, r, statements, "session_usage", shape, inSessions(tenant, ids).And(shape.args(pricer.Split)))
	if err != nil {
		return nil, err
	}
	for i := range usage {
		s := spent[usage[i].ID]
		s.Add(usage[i].Spent(pricer))
		spent[usage[i].ID] = s
	}
	return spent, nil
}

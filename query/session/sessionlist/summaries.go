package sessionlist

import (
	"context"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
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
	ends    *sessionEndRow // what is settled of its end; nil if nothing is
}

// readSummaries returns all that the list shows of the sessions, by id, but for their ends
// (see setEnds). Sessions that are not there are left out. What is settled of a view, which may
// be nil, is read as it is.
func readSummaries(ctx context.Context, r *query.Reader, tenant string, ids []sessionID, view *rollup.View) (map[string]*summary, error) {
	sessions := make(map[string]*summary, len(ids))
	if len(ids) == 0 {
		return sessions, nil
	}
	now := r.Now()
	var spent map[string]query.Spent
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		spent, err = readSpent(of, r, tenant, ids, view)
		return err
	})
	group.Go(func() error {
		stored, rest, err := readSettled(of, r, tenant, ids, view)
		if err != nil {
			return err
		}
		streams, spans, err := readStored(of, r, tenant, rest)
		if err != nil {
			return err
		}
		for i := range stored {
			stored[i].Row.ID = stored[i].ID
			streams, spans = append(streams, stored[i].Row), append(spans, stored[i].SpanCounts)
			spans[len(spans)-1].ID = stored[i].ID
		}
		endsOf := make(map[string]*sessionEndRow, len(stored))
		for i := range stored {
			endsOf[stored[i].ID] = &stored[i].sessionEndRow
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
			sessions[row.ID] = &summary{*sessionhead.Summarize(row, r, found, now), row, found, endsOf[row.ID]}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for id, s := range sessions {
		s.Spent = spent[id]
	}
	return sessions, nil
}

// readStored returns what streams and spans state of some sessions.
func readStored(ctx context.Context, r *query.Reader, tenant string, ids []sessionID) (streams []sessionstreams.Row, spans []sessionhead.SpanCounts, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	oldest := ids[0].OldestStream
	for i := range ids {
		oldest = min(oldest, ids[i].OldestStream)
	}
	a := inSessions(tenant, ids)
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		streams, err = sessionstreams.ReadStreams(of, r, tenant, sessionstreams.Shape{Since: oldest > 0}, a.With("oldest_stream", oldest))
		return err
	})
	group.Go(func() (err error) {
		spans, err = query.Ask[sessionhead.SpanCounts](of, r, statements, "session_spans", nil, a)
		return err
	})
	return streams, spans, group.Wait()
}

// settledRow is what is settled of a session, but for its usage.
type settledRow struct {
	ID string `ch:"settled_id"` // apart from the ids of the rows in it
	sessionstreams.Row
	sessionhead.SpanCounts
	sessionEndRow
}

// readSettled returns what is settled of some sessions, and the sessions of which nothing is.
func readSettled(ctx context.Context, r *query.Reader, tenant string, ids []sessionID, view *rollup.View) ([]settledRow, []sessionID, error) {
	asked, rest := settledAmong(ids, view)
	if len(asked) == 0 {
		return nil, ids, nil
	}
	rows, err := query.Ask[settledRow](ctx, r, statements, "settled_sessions", nil, inSessions(tenant, asked).With("batches", view.IDs()))
	if err != nil {
		return nil, nil, err
	}
	found := make(map[string]bool, len(rows))
	for i := range rows {
		found[rows[i].ID] = true
	}
	for i := range asked {
		if !found[asked[i].ID] {
			rest = append(rest, asked[i])
		}
	}
	return rows, rest, nil
}

// settledAmong returns the sessions that are settled, or have no usage, and the others.
func settledAmong(ids []sessionID, view *rollup.View) (stored, rest []sessionID) {
	if view == nil {
		return nil, ids
	}
	unsettled := view.IsUnsettled()
	for i := range ids {
		if unsettled(ids[i].ID) {
			rest = append(rest, ids[i])
			continue
		}
		stored = append(stored, ids[i])
	}
	return stored, rest
}

// readSpent returns what the sessions used, by id; those that used nothing are left out.
// It asks only if that was not looked up before.
func readSpent(ctx context.Context, r *query.Reader, tenant string, ids []sessionID, view *rollup.View) (map[string]query.Spent, error) {
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
	stored, rest := settledAmong(ids, view)
	if err := addSpent(ctx, r, tenant, pricer, "session_usage", []string{}, rest, spent); err != nil || len(stored) == 0 {
		return spent, err
	}
	return spent, addSpent(ctx, r, tenant, pricer, "settled_spent", view.IDs(), stored, spent)
}

// addSpent adds what sessions used by a statement to those that are known.
func addSpent(
	ctx context.Context, r *query.Reader, tenant string, pricer *cost.Pricer, statement string, batches []string, ids []sessionID, spent map[string]query.Spent,
) error {
	if len(ids) == 0 {
		return nil
	}
	shape := newCellShape(pricer.Split)
	usage, err := query.Ask[sessionUsageRow](ctx, r, statements, statement, shape,
		inSessions(tenant, ids).And(shape.args(pricer.Split)).With("batches", batches))
	if err != nil {
		return err
	}
	for i := range usage {
		s := spent[usage[i].ID]
		s.Add(usage[i].Spent(pricer))
		spent[usage[i].ID] = s
	}
	return nil
}

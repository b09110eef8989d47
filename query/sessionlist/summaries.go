package sessionlist

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/cost"
	"tapedeck/query/sessionhead"
	"tapedeck/query/sessionstreams"
	"tapedeck/query/settled"
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
	var streams []sessionstreams.Row
	var spans []sessionhead.SpanCounts
	var spent map[string]query.Spent
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		streams, err = sessionstreams.ReadStreams(of, r, sessionstreams.Shape{Since: oldest > 0}, a.With("oldest_stream", oldest))
		return err
	})
	group.Go(func() (err error) {
		spans, err = query.Ask[sessionhead.SpanCounts](of, r, statements, "session_spans", nil, a)
		return err
	})
	group.Go(func() (err error) {
		spent, err = readSpent(of, r, tenant, ids)
		return err
	})
	if err := group.Wait(); err != nil {
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
	view, err := settled.Read(ctx, r, tenant, nil, nil)
	if err != nil {
		return nil, err
	}
	statement, batches := "session_usage", []string{}
	if view != nil {
		// Those that are settled are read as they are.
		var rest []sessionID
		unsettled := view.IsUnsettled()
		stored := slices.DeleteFunc(slices.Clone(ids), func(s sessionID) bool {
			if unsettled(s.ID) {
				rest = append(rest, s)
			}
			return unsettled(s.ID)
		})
		if len(rest) > 0 {
			if err := addSpent(ctx, r, tenant, pricer, statement, batches, rest, spent); err != nil {
				return nil, err
			}
		}
		statement, batches, ids = "settled_spent", view.IDs(), stored
	}
	return spent, addSpent(ctx, r, tenant, pricer, statement, batches, ids, spent)
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

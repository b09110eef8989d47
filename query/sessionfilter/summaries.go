package sessionfilter

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
)

// sessionUsageRow is a cell of the usage of a session.
type sessionUsageRow struct {
	ID string `ch:"session_id"`
	cost.TotalsRow
}

// Summary is a session with the rows from which it was built.
type Summary struct {
	sessionhead.Summary
	StreamRow  *sessionstreams.Row
	SpanCounts *sessionhead.SpanCounts
	EndRow     *sessionhead.EndRow // the spans of its end; nil unless the session is settled
}

// readSummaries returns what the list shows of the sessions, by id, except their ends (see
// setEnds). Sessions that do not exist are left out. Settled values of a view are read as stored.
func readSummaries(
	ctx context.Context, r *query.Reader, tenant string, ids []Session, view *rollup.View,
) (map[string]*Summary, error) {
	sessions := make(map[string]*Summary, len(ids))
	if len(ids) == 0 {
		return sessions, nil
	}
	now := r.Now()
	var totals map[string]cost.UsageTotals
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		totals, err = readTotals(of, r, tenant, ids, view)
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
		endsOf := make(map[string]*sessionhead.EndRow, len(stored))
		for i := range stored {
			endsOf[stored[i].ID] = &stored[i].EndRow
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
			sessions[row.ID] = &Summary{*sessionhead.Summarize(row, r.QuietAfter(), found, now), row, found, endsOf[row.ID]}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for id, s := range sessions {
		s.UsageTotals = totals[id]
	}
	return sessions, nil
}

// readStored returns what the streams and spans of some sessions state.
func readStored(
	ctx context.Context, r *query.Reader, tenant string, ids []Session,
) (streams []sessionstreams.Row, spans []sessionhead.SpanCounts, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	oldest := ids[0].OldestStream
	for i := range ids {
		oldest = min(oldest, ids[i].OldestStream)
	}
	a := Parameters(tenant, ids)
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		streams, err = sessionstreams.ReadStreams(of, r, tenant, sessionstreams.Shape{Since: oldest > 0},
			a.With("oldest_stream", oldest))
		return err
	})
	group.Go(func() (err error) {
		spans, err = query.Ask[sessionhead.SpanCounts](of, r, statements, "session_spans", nil, a)
		return err
	})
	return streams, spans, group.Wait()
}

// settledRow is the settled part of a session, without its usage.
type settledRow struct {
	ID string `ch:"settled_id"` // named unlike the ids of the rows in it
	sessionstreams.Row
	sessionhead.SpanCounts
	sessionhead.EndRow
}

// readSettled returns the settled rows of sessions, and the sessions without one.
func readSettled(
	ctx context.Context, r *query.Reader, tenant string, ids []Session, view *rollup.View,
) ([]settledRow, []Session, error) {
	asked, rest := settledAmong(ids, view)
	if len(asked) == 0 {
		return nil, ids, nil
	}
	names := make([]string, len(asked))
	for i := range asked {
		names[i] = asked[i].ID
	}
	part := view.Of(names)
	tables, err := part.Tables()
	if err != nil {
		return nil, nil, err
	}
	rows, err := query.Ask[settledRow](clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...)), r, statements,
		"settled_sessions", part.Source(), Parameters(tenant, asked).And(part.Args()))
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

// settledAmong splits sessions into those that are settled or have no usage, and the unsettled
// ones.
func settledAmong(ids []Session, view *rollup.View) (stored, rest []Session) {
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

// readTotals returns the usage of sessions, by id; sessions without usage are left out. It runs no
// statement if the usage was already looked up.
func readTotals(
	ctx context.Context, r *query.Reader, tenant string, ids []Session, view *rollup.View,
) (map[string]cost.UsageTotals, error) {
	totals := make(map[string]cost.UsageTotals, len(ids))
	if ids[0].totals != nil { // then all of them have totals
		for i := range ids {
			totals[ids[i].ID] = *ids[i].totals
		}
		return totals, nil
	}
	pricer, err := cost.PricerFor(ctx, r, tenant)
	if err != nil {
		return nil, err
	}
	a := Parameters(tenant, ids)
	part := view.Of(a["sessions"].([]string))
	tables, err := part.Tables()
	if err != nil {
		return nil, err
	}
	shape := newCellShape(pricer.Split)
	shape.Source = part.Source()
	shape.OfSessions = true
	usage, err := query.Ask[sessionUsageRow](clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...)), r,
		statements, "session_usage", shape, a.And(shape.args(pricer.Split)).And(part.Args()))
	if err != nil {
		return nil, err
	}
	for i := range usage {
		s := totals[usage[i].ID]
		s.Add(usage[i].Totals(pricer))
		totals[usage[i].ID] = s
	}
	return totals, nil
}

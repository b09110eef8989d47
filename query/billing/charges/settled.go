package charges

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/report/grouping"
)

// settledShape selects the optional parts of sql/settled_charges.sql.
type settledShape struct {
	rollup.Source
	From, To, After, Among bool
	Tags                   []string // on which prices depend
}

// Made returns the parameters of the template "made_charges". care is a condition on the rows of the
// unsettled sessions.
func (settledShape) Made(care string) rollup.Made {
	return rollup.Made{
		Care: care, Streams: " AND session_id IN (SELECT session_id FROM unsettled_sessions)", Charges: true,
	}
}

// readSettled does the same as read from settled rows, for a limit of at least 1. It returns false,
// and has read nothing, if there are none.
func (l *lister) readSettled(
	ctx context.Context, after *query.Mark, args query.Args, limit int, visit func(*row) error,
) (bool, error) {
	q := l.query
	from := q.From
	if after != nil && (from.IsZero() || after.Key > from.UnixNano()) {
		from = query.Instant(after.Key)
	}
	// The range of a report has the parameters and the external tables of the statement.
	b := grouping.New(q.Tenant, from, q.To, nil, "")
	view, err := rollup.Read(ctx, l.reader, q.Tenant, b.From, b.To)
	if err != nil || !view.HasCharges() {
		return false, err
	}
	if err := l.selectSessions(ctx); err != nil {
		return false, err
	}
	if l.sessions != nil {
		view = view.Of(l.sessions)
		if err := b.Restrict(l.sessions); err != nil {
			return false, err
		}
	}
	if err := b.UseView(view); err != nil {
		return false, err
	}
	l.until = q.To
	tags := l.pricers.Split.Tags
	s := settledShape{Source: b.Shape.Source, From: b.Shape.From, To: b.Shape.To, After: after != nil,
		Among: b.Shape.Among, Tags: tags}
	args = b.Args.And(query.TagArgs(tags)).And(args).With("limit", limit)
	return true, query.EachInPlace(b.Context(ctx), l.reader, statements, "settled_charges", s, args, visit)
}

package charges

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

var statements = grouping.Statements("billing/charges")

// Query selects charges.
type Query struct {
	Tenant   string
	From, To time.Time             // when the charge was last stated: From inclusive, To exclusive; zero for no limit
	Sessions *sessionfilter.Filter // only the charges of these sessions; nil for all
	// SessionIDs are the sessions whose charges are listed; nil for all. It excludes Sessions.
	SessionIDs []string
	// Unpriced selects the charges that have no price.
	Unpriced bool
	grouping.Pricing
	Cells tabular.Cells // the form of recorded text in CSV
}

// shape selects the optional parts of sql/charges.sql.
type shape struct {
	grouping.Shape
	After, Limited bool
}

// listName names the list in cursors.
const listName = "charges"

// Each calls visit with each charge of a query in order of time, starting after the cursor, until
// visit returns an error: at most limit charges, or all if limit is 0. Unpriced of the query is not
// for Each. It uses one statement, so
// that all charges are of one snapshot, and holds a bounded number of them in memory. visit may
// keep the charge.
func Each(ctx context.Context, r *query.Reader, q Query, cursor string, limit int, visit func(*Charge) error) error {
	p, err := q.Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return err
	}
	l := lister{reader: r, query: &q, pricers: p, until: q.To}
	var tags tagMaps
	return l.read(ctx, cursor, limit, func(row *row) error { return visit(row.charge(q.Tenant, p, &tags)) })
}

// selects reports whether a charge, which has been priced, is selected.
func (q *Query) selects(c *Charge) bool { return !q.Unpriced || c.Unpriced != nil }

// lister lists the charges of a query.
type lister struct {
	reader   *query.Reader
	query    *Query
	pricers  *grouping.Pricers
	until    time.Time // only records stated before this time; zero for no limit
	sessions []string  // only these, if restricted
	selected bool      // sessions were looked up
	// settled lets read use settled rows. It then reads all of the range of the query, and sets
	// until to its end.
	settled bool
}

// read calls visit with at most limit records after the cursor.
func (l *lister) read(ctx context.Context, cursor string, limit int, visit func(*row) error) error {
	after, args, err := parseCursor(cursor)
	if err != nil {
		return err
	}
	q := l.query
	if l.settled {
		if read, err := l.readSettled(ctx, after, args, limit, visit); read || err != nil {
			return err
		}
	}
	from := q.From
	if after != nil && (from.IsZero() || after.Key > from.UnixNano()) {
		from = query.Instant(after.Key)
	}
	b := grouping.New(q.Tenant, from, l.until, nil, "")
	b.Shape.Table, b.Shape.ID, b.Shape.Stated = "usage", "usage_id", true
	for _, tag := range l.pricers.Split.Tags {
		b.Shape.CellTags = append(b.Shape.CellTags, query.TagValue(b.Shape.Tag(tag)))
	}
	if err := l.selectSessions(ctx); err != nil {
		return err
	}
	if l.sessions != nil {
		if err := b.Restrict(l.sessions); err != nil {
			return err
		}
	}
	if err := b.FindExceptions(ctx, l.reader); err != nil {
		return err
	}
	args = b.Args.And(query.TagArgs(b.Shape.Tags)).And(args).With("limit", limit)
	s := shape{Shape: b.Shape, After: after != nil, Limited: limit > 0}
	return query.EachInPlace(b.Context(ctx), l.reader, statements, "charges", s, args, visit)
}

// selectSessions looks up the sessions of the query, once.
func (l *lister) selectSessions(ctx context.Context) error {
	if l.selected {
		return nil
	}
	sessions := l.query.SessionIDs
	if l.query.Sessions != nil {
		ids, err := sessionfilter.Matching(ctx, l.reader, l.query.Tenant, l.query.Sessions)
		if err != nil {
			return err
		}
		sessions = query.OrEmpty(ids)
	}
	l.selected, l.sessions = true, sessions
	return nil
}

// mark returns the position of a record in the list.
func (r *row) mark() query.Mark {
	return query.Mark{List: listName, Key: r.At, ID: hex.EncodeToString([]byte(r.Session)) + "." +
		hex.EncodeToString([]byte(r.ID))}
}

// parseCursor parses the position after which a list continues and returns it with its parameters;
// nil for "".
func parseCursor(cursor string) (*query.Mark, query.Args, error) {
	after, err := query.ParseMark(listName, cursor)
	if after == nil {
		return nil, query.Args{}, err
	}
	session, usage, ok := strings.Cut(after.ID, ".")
	for _, text := range []string{session, usage} {
		if _, err := hex.DecodeString(text); err != nil {
			ok = false
		}
	}
	if !ok || after.Key < 0 {
		return nil, nil, problem.BadParameter("cursor", "This cursor is not one of this list.",
			`the value of "next" on the page before, with the other parameters unchanged`)
	}
	return after, query.Args{"after_at": after.Key, "after_session": session, "after_usage": usage}, nil
}

package charges

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"tapedeck/internal/failpoint"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
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

// listName names the list in cursors.
const listName = "charges"

// selects reports whether a charge, which has been priced, is selected.
func (q *Query) selects(c *Charge) bool { return !q.Unpriced || c.Unpriced != nil }

// shape selects the optional parts of sql/charges.sql.
type shape struct {
	rollup.Source
	From, To, After, Limited, Among bool
	Tags                            []string // on which prices depend
}

// counted are the parameters of the template "made_of".
type counted struct{ rollup.Counted }

// Counted returns the parameters of the template "made_of". rows is a condition on the sessions of
// usage and streams that begins with AND, or "".
func (s shape) Counted(rows string) counted { return counted{s.Source.Counted("", "", rows, rows)} }

// Made returns the parameters of the template "made_charges".
func (c counted) Made(plain, care string) rollup.Made {
	made := c.Counted.Made(plain, care)
	made.Charges = true
	return made
}

// lister lists the charges of a query.
type lister struct {
	reader  *query.Reader
	query   *Query
	pricers *grouping.Pricers
	// until is the time before which records are read, zero for no limit. If there are settled
	// rows, read sets it to the end of the range, which it then reads with the same effort.
	until    time.Time
	sessions []string // only these, if restricted
	selected bool     // sessions were looked up
	tables   bool     // settled rows are not read
	settled  bool     // the last statement read settled rows
}

// stepLooked is between the look at the settlement and the statement.
const stepLooked = "charges: looked"

// read calls visit with at most limit records after the cursor, or with all if limit is 0. It looks
// at the settlement and then reads with one statement, which has all that was stored before the
// look. A session that changes after the look is read from its settled rows, as it was, if it was
// settled at the look, and otherwise as it is when the statement begins.
func (l *lister) read(ctx context.Context, cursor string, limit int, visit func(*row) error) error {
	after, args, err := parseCursor(cursor)
	if err != nil {
		return err
	}
	q := l.query
	from := q.From
	if after != nil && (from.IsZero() || after.Key > from.UnixNano()) {
		from = query.Instant(after.Key)
	}
	view := &rollup.View{All: true}
	b := grouping.New(q.Tenant, from, q.To, nil, "")
	if !l.tables {
		if view, err = rollup.Read(ctx, l.reader, q.Tenant, b.From, b.To); err != nil {
			return err
		}
	}
	if l.settled = view.HasCharges(); l.settled {
		l.until = q.To
	} else {
		view, b = &rollup.View{All: true}, grouping.New(q.Tenant, from, l.until, nil, "")
	}
	if err := l.selectSessions(ctx); err != nil {
		return err
	}
	if l.sessions != nil {
		view = view.Of(l.sessions)
		if err := b.Restrict(l.sessions); err != nil {
			return err
		}
	}
	if err := b.UseView(view); err != nil {
		return err
	}
	tags := l.pricers.Split.Tags
	s := shape{Source: b.Shape.Source, From: b.Shape.From, To: b.Shape.To, After: after != nil, Limited: limit > 0,
		Among: b.Shape.Among, Tags: tags}
	args = b.Args.And(query.TagArgs(tags)).And(args).With("limit", limit)
	if err := failpoint.Reach(ctx, stepLooked); err != nil {
		return err
	}
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

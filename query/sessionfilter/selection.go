// Package sessionfilter finds the sessions that pass a filter. Lists, reports, search and bills
// use the same filter.
package sessionfilter

import (
	"context"
	"slices"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
)

var statements = query.Statements("sessionfilter")

// Sort is an order of sessions: a column, with a leading "-" for descending order.
type Sort string

// Sorts lists all orders, the default first.
var Sorts = []Sort{"-started", "started", "-last_at", "last_at", "-duration", "duration", "-tokens", "tokens", "-cost",
	"cost"}

// Selection is the sessions of a tenant that pass a filter, in an order.
type Selection struct {
	Tenant string
	Filter
	Sort Sort
	Limits

	only []string                  // only these sessions; nil for all
	view *rollup.View              // nil if no usage is read
	open *sessionhead.OpenSessions // nil if the selection does not depend on them
}

// Limits tune the ways to find sessions without reading the rows of all sessions. The zero value of
// a field means its default.
type Limits struct {
	// Spare is how many sessions more than requested are read first from the start of an order by
	// tokens, since a filter or an exact count may exclude some; default 32, negative for none.
	Spare int
	// SeveralRows is how many sessions with several rows are grouped separately from sessions with
	// one row, in an order by duration; default 20,000. If there are more, all rows are grouped.
	SeveralRows int
}

func (l Limits) spare() int {
	if l.Spare == 0 {
		return defaultSpare
	}
	return max(l.Spare, 0)
}

func (l Limits) severalRows() int {
	if l.SeveralRows == 0 {
		return 20_000
	}
	return l.SeveralRows
}

const defaultSpare = 32

// Prepare reads the settled usage and the open sessions on which the selection depends. It must be
// called before the other methods. Ages of open sessions are measured at the time of the mark
// after, which may be nil.
func (q *Selection) Prepare(ctx context.Context, r *query.Reader, after *query.Mark) (err error) {
	if q.view, err = rollup.Read(ctx, r, q.Tenant, nil, nil); err != nil {
		return err
	}
	q.open, err = openFor(ctx, r, q, after)
	return err
}

// Now returns the time at which the ages of open sessions were measured, ns since 1970; 0 if the
// selection does not depend on ages.
func (q *Selection) Now() int64 { return q.open.At() }

// Read returns up to limit sessions after a mark, in order. They pass the filter except for the
// conditions that Passes checks.
func (q *Selection) Read(ctx context.Context, r *query.Reader, after *query.Mark, limit int) ([]Session, error) {
	return readIDs(ctx, r, q, after, limit)
}

// Summaries returns the summaries of sessions, by id, without their ends. Sessions that were
// deleted meanwhile are left out.
func (q *Selection) Summaries(ctx context.Context, r *query.Reader, sessions []Session) (map[string]*Summary, error) {
	return readSummaries(ctx, r, q.Tenant, sessions, q.view)
}

// BySummary reports whether the filter has conditions that only Passes checks.
func (f *Filter) BySummary() bool {
	return len(f.Statuses) > 0 || len(f.Dialects) > 0 || f.SilentFor > 0 || f.RunningFor > 0 || f.Unpriced
}

// Passes reports whether a session has one of the statuses and dialects of the filter, has been
// silent and open for long enough, and has usage without a price if the filter asks for it.
func (f *Filter) Passes(s *sessionhead.Summary) bool {
	if len(f.Statuses) > 0 && !slices.Contains(f.Statuses, s.Status) {
		return false
	}
	if f.SilentFor > 0 && (s.SilentMS == nil || *s.SilentMS < query.Millis(int64(f.SilentFor))) ||
		f.RunningFor > 0 && (s.RunningMS == nil || *s.RunningMS < query.Millis(int64(f.RunningFor))) {
		return false
	}
	if f.Unpriced && len(s.Unpriced) == 0 {
		return false
	}
	return len(f.Dialects) == 0 || slices.ContainsFunc(s.Dialects, func(d string) bool {
		return slices.Contains(f.Dialects, d)
	})
}

package alerts

import (
	"context"
	"slices"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
)

// Change is an alert as it was stored: its begin, or its end.
type Change struct {
	Alert   *evaluate.Alert
	Version uint64 // higher than those of all changes that were stored before
}

type changeRow struct {
	row
	Version uint64 `ch:"version"`
}

func (r *changeRow) change() Change { return Change{r.alert(), r.Version} }

// Newest returns the highest version of all tenants; 0 for none.
func Newest(ctx context.Context, r *query.Reader) (uint64, error) {
	rows, err := query.AskOne[struct {
		Version uint64 `ch:"version"`
	}](ctx, r, statements, "newest_version", nil, nil)
	return rows.Version, err
}

// ReadWritten returns the changes of all tenants with a higher version, in order, also of sessions that were deleted
// meanwhile. The begin of an alert that has ended may be missing, and a change may be there twice.
func ReadWritten(ctx context.Context, r *query.Reader, after uint64) ([]Change, error) {
	rows, err := query.Ask[changeRow](ctx, r, statements, "written_alerts", nil, query.Args{"after": after})
	return changes(rows), err
}

// ReadChanged returns the alerts that a query selects as they are now, with a higher version than that of after, in the
// order of their versions; q.Limit at most. The next ones follow after the last one. q.After does not apply.
func ReadChanged(ctx context.Context, r *query.Reader, q Query, after Change) ([]Change, error) {
	q.After = nil
	s, a := q.statement()
	id := ""
	if after.Alert != nil {
		id = after.Alert.ID
	}
	a["limit"] = q.Limit
	rows, err := query.Ask[changeRow](ctx, r, statements, "changed_alerts", s, a.With("after", after.Version).With("after_id", id))
	return changes(rows), err
}

func changes(rows []changeRow) []Change {
	list := make([]Change, len(rows))
	for i := range rows {
		list[i] = rows[i].change()
	}
	return list
}

// Selects reports whether the query selects an alert of its tenant. Limit and After do not apply.
func (q *Query) Selects(a *evaluate.Alert) bool {
	switch {
	case a.Tenant != q.Tenant,
		q.Session != "" && a.Session != q.Session,
		len(q.Rules) > 0 && !slices.Contains(q.Rules, a.Rule),
		q.Per != "" && (a.Per == nil || *a.Per != q.Per),
		q.Value != "" && (a.Value == nil || *a.Value != q.Value),
		q.State == Open && a.Ended != nil,
		q.State == Ended && a.Ended == nil,
		!q.From.IsZero() && a.Began.Before(q.From),
		!q.To.IsZero() && !a.Began.Before(q.To):
		return false
	}
	return true
}

// Package spent reads what tag values and tenants have used in the periods of budgets.
package spent

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
)

var statements = query.Statements("alerts/spent")

// Tenants returns the tenants with a frame since a time.
func Tenants(ctx context.Context, r *query.Reader, since time.Time) ([]string, error) {
	rows, err := query.Ask[struct {
		Name string `ch:"name"`
	}](ctx, r, statements, "spending_tenants", nil, query.Args{"since": since.UnixNano()})
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}

// Each calls visit with what each value of a tag has used in a period, or with what the tenant has used if the tag is "".
// The usage of sessions without the tag is of no value. The error of a tag with more than grouping.MaxRows values is
// grouping.ErrTooManyRows.
func Each(ctx context.Context, r *query.Reader, tenant, tag string, p evaluate.Period, visit func(*evaluate.Use)) error {
	q := usagereport.Query{Tenant: tenant, From: p.From, To: p.To}
	if tag != "" {
		q.GroupBy = []string{grouping.TagPrefix + tag}
	}
	return usagereport.Each(ctx, r, q, func(row *usagereport.Row) error {
		u := &evaluate.Use{Tenant: tenant, Value: tenant, Tokens: row.Tokens.Total, Cost: row.Cost}
		if tag != "" {
			if u.Value = query.Text(row.Group[q.GroupBy[0]]); u.Value == "" {
				return nil
			}
		}
		visit(u)
		return nil
	})
}

// LastSession returns the session with the latest frame of those with the tag value of an alert, or of its tenant, and
// the stream of it that began last. The session is "" if there is none.
func LastSession(ctx context.Context, r *query.Reader, of *rule.Rule, a *evaluate.Alert) (session, stream string, err error) {
	q := sessionlist.Query{Tenant: a.Tenant, Sort: sessionfilter.Sort("-last_at"), Limit: 1}
	if tag := of.Tag(); tag != "" {
		q.Tags = []sessionfilter.TagFilter{{Key: tag, Value: query.Text(a.Value)}}
	}
	list, err := sessionlist.Read(ctx, r, q)
	if err != nil || len(list.Items) == 0 {
		return "", "", err
	}
	session = list.Items[0].ID
	row, err := query.AskOne[struct {
		Stream string `ch:"last_stream"`
	}](ctx, r, statements, "last_stream", nil, query.Args{"tenant": a.Tenant, "session": session})
	if err != nil || row.Stream == "" {
		return "", "", err
	}
	return session, row.Stream, nil
}

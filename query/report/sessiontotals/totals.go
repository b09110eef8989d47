// Package sessiontotals counts the sessions that pass a filter, and adds up their usage.
package sessiontotals

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/sessionfilter"
)

// mostSessions is the default of Query.Most.
const mostSessions = 50_000

// Query selects sessions.
type Query struct {
	Tenant string
	sessionfilter.Filter
	Most int // sessions to count; 0 means mostSessions
}

// Totals is the answer.
type Totals struct {
	Sessions int `json:"sessions"` // up to Query.Most
	// More reports that more sessions than these pass the filter.
	More bool `json:"more"`
	// Spent is all usage of the sessions; null if there are more.
	Spent *cost.UsageTotals `json:"spent"`
	*query.Completeness
}

// Read counts sessions and adds up their usage.
func Read(ctx context.Context, r *query.Reader, q Query) (*Totals, error) {
	most := q.Most
	if most == 0 {
		most = mostSessions
	}
	ids, more, err := sessionfilter.MatchingUpTo(ctx, r, q.Tenant, &q.Filter, most)
	if err != nil {
		return nil, err
	}
	t := &Totals{Sessions: len(ids), More: more}
	if more {
		return t, nil
	}
	usage := usagereport.Query{Tenant: q.Tenant}
	if !q.IsEmpty() {
		usage.SessionIDs = append([]string{}, ids...)
	}
	report, err := usagereport.Read(ctx, r, usage)
	if err != nil {
		return nil, err
	}
	t.Spent = &report.Totals.UsageTotals
	return t, nil
}

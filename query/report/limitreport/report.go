// Package limitreport reports on the limits of accounts that agents stated: windows of rate limits,
// quotas and credits. They are no usage and no cost.
package limitreport

import (
	"context"
	"math"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/schema"
)

var statements = query.Statements("report/limitreport")

// Most is the number of limits that a report lists.
const Most = 1000

// Query selects limits.
type Query struct {
	Tenant   string
	From, To time.Time      // half open, by when a limit was stated; zero for no limit
	Zone     *time.Location // nil means UTC
	Tag      string         // the tag that tells accounts apart; "" for none
}

// Report is the answer: the last statement of each limit, by dialect, account and plan.
type Report struct {
	From     *time.Time `json:"from"`
	To       *time.Time `json:"to"`
	Timezone string     `json:"timezone"`
	Tag      string     `json:"tag"`
	Items    []Item     `json:"items"`
	// Truncated reports that there are more limits than Most.
	Truncated bool `json:"truncated"`
	*query.Completeness
}

// Item is a limit, and where it was stated.
type Item struct {
	// Account is the value of the report's tag; null without a tag, and for sessions without it.
	Account *string `json:"account"`
	accountlimits.Limit
	SessionID string `json:"session_id"`
}

type row struct {
	Dialect string `ch:"dialect"`
	Tag     string `ch:"tag_value"`
	Latest  string `ch:"latest"`
	Session string `ch:"latest_session"`
}

// Read computes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	report := &Report{Timezone: "UTC", Tag: q.Tag, Items: []Item{}}
	if q.Zone != nil {
		report.Timezone = q.Zone.String()
	}
	from, to := int64(0), int64(math.MaxInt64)
	if !q.From.IsZero() {
		at := q.From.UTC()
		from, report.From = max(at.UnixNano(), 0), &at
	}
	if !q.To.IsZero() {
		at := q.To.UTC()
		to, report.To = at.UnixNano(), &at
	}
	rows, err := query.Ask[row](ctx, r, statements, "limits_report", q, query.Args{
		"tenant": q.Tenant, "tag": q.Tag, "from": from, "to": to, "most": uint64(Most + 1),
	})
	if err != nil {
		return nil, err
	}
	if report.Truncated = len(rows) > Most; report.Truncated {
		rows = rows[:Most]
	}
	for i := range rows {
		limits := schema.ReadLimits("[" + rows[i].Latest + "]")
		if len(limits) != 1 {
			continue // of a tape that another program wrote
		}
		report.Items = append(report.Items, Item{
			Account: query.Named(rows[i].Tag), Limit: accountlimits.Of(rows[i].Dialect, &limits[0]), SessionID: rows[i].Session,
		})
	}
	return report, nil
}

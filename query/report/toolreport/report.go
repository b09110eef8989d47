// Package toolreport reports on tool calls: their number, how they ended and how long they took.
package toolreport

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
)

var statements = grouping.Statements("report/toolreport")

// Groupings lists the allowed groupings of a report on tools.
var Groupings = []string{"tool", "agent", "session"}

// Query selects tool calls.
type Query struct {
	Tenant      string
	From, To    time.Time            // half open, by the first frame of a call; zero for no limit
	Zone        *time.Location       // the zone of periods; nil means UTC
	Granularity grouping.Granularity // "" means Whole
	GroupBy     []string
	Slowest     int                   // number of listed slowest calls
	Sessions    *sessionfilter.Filter // only the calls of these sessions; nil for all
}

// Report is the answer: a row for each period and group with calls, in order, and a row for all
// calls together.
type Report struct {
	From        *time.Time           `json:"from"`
	To          *time.Time           `json:"to"`
	Timezone    string               `json:"timezone"`
	Granularity grouping.Granularity `json:"granularity"`
	GroupBy     []string             `json:"group_by"`
	Items       []Row                `json:"items"`
	Totals      Times                `json:"totals"`
	// Slowest are the calls that took longest, if they were requested.
	Slowest []SlowCall `json:"slowest"`
	Next    *string    `json:"next"` // always null: a report is whole
	*query.Completeness
}

// Row holds the figures of one group of calls in one period.
type Row struct {
	grouping.Period
	Group grouping.Group // in JSON each value is a field of the row
	Times
}

// Times are counts and times of tool calls. Times cover the calls that ended: as the source
// measured them, else from start to end. They are null if no call has a time. The maximum includes
// running calls, by their age.
type Times struct {
	Calls     uint64   `json:"calls"`
	Errors    uint64   `json:"errors"`
	ErrorRate float64  `json:"error_rate"` // share of all calls, 0 to 1
	Open      uint64   `json:"open"`       // calls that have not ended
	Running   uint64   `json:"running"`    // open calls in open sessions
	Timed     uint64   `json:"timed"`      // calls with a time
	MinMS     *float64 `json:"min_ms"`
	AvgMS     *float64 `json:"avg_ms"`
	// Quantiles are exact; they interpolate between two calls.
	P50MS *float64 `json:"p50_ms"`
	P90MS *float64 `json:"p90_ms"`
	P95MS *float64 `json:"p95_ms"`
	P99MS *float64 `json:"p99_ms"`
	MaxMS *float64 `json:"max_ms"`
}

// MarshalJSON returns the row in the form of the API.
func (t Row) MarshalJSON() ([]byte, error) { return grouping.MarshalRow(t.Group, t.Period, t.Times) }

// UnmarshalJSON parses a row in the form of the API.
func (t *Row) UnmarshalJSON(text []byte) (err error) {
	t.Group, err = grouping.UnmarshalRow(text, Groupings, &t.Period, &t.Times)
	return err
}

// toolColumns are the columns for groupings.
var toolColumns = map[string]string{"tool": "span_name", "agent": "span_agent", "session": "session_id"}

type toolReportRow struct {
	Period    string    `ch:"period"`
	Groups    []string  `ch:"groups"`
	IsTotal   bool      `ch:"is_total"`
	Calls     uint64    `ch:"calls"`
	Errors    uint64    `ch:"errors"`
	Open      uint64    `ch:"open_calls"`
	Running   uint64    `ch:"running_calls"`
	Timed     uint64    `ch:"timed_calls"`
	Min       int64     `ch:"min_ns"`
	Avg       float64   `ch:"avg_ns"`
	Quantiles []float64 `ch:"quantiles_ns"`
	Max       int64     `ch:"max_ns"`
}

// Read computes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	b := grouping.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Period = b.Granularity.Expression("seen_ns")
	for _, name := range q.GroupBy {
		if toolColumns[name] == "" {
			return nil, grouping.NoGrouping(name, Groupings)
		}
		b.Shape.Groups = append(b.Shape.Groups, toolColumns[name])
	}
	if q.Sessions != nil {
		ids, err := sessionfilter.Matching(ctx, r, q.Tenant, q.Sessions)
		if err == nil {
			err = b.Restrict(ids)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.UseCalls(ctx, r); err != nil {
		return nil, err
	}
	open, err := sessionhead.ReadOpen(ctx, r, q.Tenant, r.Now())
	if err != nil {
		return nil, err
	}
	b.Args["open"], b.Args["now"] = open.Running(), open.Now
	rows, err := grouping.Ask[toolReportRow](ctx, r, statements, b, "tools_report", b.Args)
	if err != nil {
		return nil, err
	}
	report := &Report{
		From: b.From, To: b.To, Timezone: b.Zone.String(), Granularity: b.Granularity,
		GroupBy: query.OrEmpty(q.GroupBy), Items: []Row{}, Slowest: []SlowCall{},
	}
	for i := range rows {
		if rows[i].IsTotal {
			report.Totals = rows[i].times()
			continue
		}
		if rows[i].Calls == 0 {
			continue // ClickHouse returns this row for an empty set
		}
		period, err := b.Granularity.Period(rows[i].Period, b.Zone)
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items, Row{
			Period: period, Group: grouping.NewGroup(q.GroupBy, rows[i].Groups), Times: rows[i].times(),
		})
	}
	if q.Slowest > 0 {
		report.Slowest, err = slowest(ctx, r, b, q.Slowest)
	}
	return report, err
}

func (t *toolReportRow) times() Times {
	times := Times{Calls: t.Calls, Errors: t.Errors, Open: t.Open, Running: t.Running, Timed: t.Timed}
	if t.Calls > 0 {
		times.ErrorRate = float64(t.Errors) / float64(t.Calls)
	}
	times.MaxMS = query.KnownMillis(t.Max, t.Timed+t.Running > 0)
	if t.Timed == 0 {
		return times
	}
	times.MinMS = query.KnownMillis(t.Min, true)
	avg := t.Avg / 1e6
	times.AvgMS = &avg
	for i, p := range []**float64{&times.P50MS, &times.P90MS, &times.P95MS, &times.P99MS} {
		ms := t.Quantiles[i] / 1e6
		*p = &ms
	}
	return times
}

package query

import (
	"context"
	"encoding/json"
	"time"
)

// ToolGroupings are what a report on tools can be grouped by.
var ToolGroupings = []string{"tool", "agent", "session"}

// ToolQuery asks how tools did.
type ToolQuery struct {
	Tenant      string
	From, To    time.Time      // half open, by when a call was first spoken of; zero for no limit
	Zone        *time.Location // in which periods begin; nil stands for UTC
	Granularity Granularity    // "" stands for Whole
	GroupBy     []string
	Slowest     int // how many of the slowest calls to list
}

// ToolReport is the answer: a row for each period and group with calls, in
// order, and one for all calls together.
type ToolReport struct {
	From        *time.Time  `json:"from"`
	To          *time.Time  `json:"to"`
	Timezone    string      `json:"timezone"`
	Granularity Granularity `json:"granularity"`
	GroupBy     []string    `json:"group_by"`
	Items       []ToolRow   `json:"items"`
	Totals      ToolTimes   `json:"totals"`
	// Slowest are the calls that took longest, where they were asked for.
	Slowest []SlowCall `json:"slowest"`
	Next    *string    `json:"next"` // always null: a report is whole
}

// ToolRow is how one group of calls did in one period.
type ToolRow struct {
	Period
	Group Group // in JSON its values stand beside the others, under their names
	ToolTimes
}

// ToolTimes are counts and times of tool calls. Times are of the calls that
// ended: as the source measured them, else from start to end. They are null
// where no call has a time. The maximum includes running calls, by their age.
type ToolTimes struct {
	Calls     uint64   `json:"calls"`
	Errors    uint64   `json:"errors"`
	ErrorRate float64  `json:"error_rate"` // of all calls, 0 to 1
	Open      uint64   `json:"open"`       // calls that never ended, or have not so far
	Running   uint64   `json:"running"`    // open calls in open sessions
	Timed     uint64   `json:"timed"`      // calls with a time
	MinMS     *float64 `json:"min_ms"`
	AvgMS     *float64 `json:"avg_ms"`
	// Quantiles are exact; between two calls they interpolate.
	P50MS *float64 `json:"p50_ms"`
	P90MS *float64 `json:"p90_ms"`
	P95MS *float64 `json:"p95_ms"`
	P99MS *float64 `json:"p99_ms"`
	MaxMS *float64 `json:"max_ms"`
}

// MarshalJSON gives the form of the API.
func (t ToolRow) MarshalJSON() ([]byte, error) { return marshalRow(t.Group, t.Period, t.ToolTimes) }

// UnmarshalJSON reads the form of the API.
func (t *ToolRow) UnmarshalJSON(text []byte) (err error) {
	if err = json.Unmarshal(text, &t.Period); err == nil {
		err = json.Unmarshal(text, &t.ToolTimes)
	}
	if err == nil {
		t.Group, err = groupOf(text, ToolGroupings)
	}
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

// Tools makes the report.
func (r *Reader) Tools(ctx context.Context, q ToolQuery) (*ToolReport, error) {
	b := newReport(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.shape.Table, b.shape.ID, b.shape.Kind = "spans", "span_id", "tool"
	b.shape.Period = b.granularity.expression("seen_ns")
	for _, name := range q.GroupBy {
		if toolColumns[name] == "" {
			return nil, errNoGrouping(name, ToolGroupings)
		}
		b.shape.Groups = append(b.shape.Groups, toolColumns[name])
	}
	if err := b.findExceptions(ctx, r); err != nil {
		return nil, err
	}
	open, err := r.openSessions(ctx, q.Tenant, r.now().UnixNano())
	if err != nil {
		return nil, err
	}
	b.args["open"], b.args["now"] = open.running(), open.now
	rows, err := askReport[toolReportRow](ctx, r, b, "tools_report", b.args)
	if err != nil {
		return nil, err
	}
	report := &ToolReport{
		From: b.from, To: b.to, Timezone: b.zone.String(), Granularity: b.granularity,
		GroupBy: orEmpty(q.GroupBy), Items: []ToolRow{}, Slowest: []SlowCall{},
	}
	for i := range rows {
		if rows[i].IsTotal {
			report.Totals = rows[i].times()
			continue
		}
		if rows[i].Calls == 0 {
			continue // what ClickHouse gives for an empty set
		}
		period, err := b.granularity.period(rows[i].Period, b.zone)
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items, ToolRow{
			Period: period, Group: newGroup(q.GroupBy, rows[i].Groups), ToolTimes: rows[i].times(),
		})
	}
	if q.Slowest > 0 {
		report.Slowest, err = r.slowest(ctx, b, q.Slowest)
	}
	return report, err
}

func (t *toolReportRow) times() ToolTimes {
	times := ToolTimes{Calls: t.Calls, Errors: t.Errors, Open: t.Open, Running: t.Running, Timed: t.Timed}
	if t.Calls > 0 {
		times.ErrorRate = float64(t.Errors) / float64(t.Calls)
	}
	times.MaxMS = knownMillis(t.Max, t.Timed+t.Running > 0)
	if t.Timed == 0 {
		return times
	}
	times.MinMS = knownMillis(t.Min, true)
	avg := t.Avg / 1e6
	times.AvgMS = &avg
	for i, p := range []**float64{&times.P50MS, &times.P90MS, &times.P95MS, &times.P99MS} {
		ms := t.Quantiles[i] / 1e6
		*p = &ms
	}
	return times
}

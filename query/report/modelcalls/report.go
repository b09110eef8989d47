package modelcalls

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/report/grouping"
)

// Report is the answer: a row for each period and group with calls, in order, a row for all calls
// together, and the optional parts that were requested.
type Report struct {
	From        *time.Time           `json:"from"`
	To          *time.Time           `json:"to"`
	Timezone    string               `json:"timezone"`
	Granularity grouping.Granularity `json:"granularity"`
	GroupBy     []string             `json:"group_by"`
	StallMS     float64              `json:"stall_ms"` // the shortest gap that counts as a stall
	Items       []Row                `json:"items"`
	Totals      Figures              `json:"totals"`
	// Distributions are null unless they were requested.
	Distributions *Distributions `json:"distributions"`
	Calls         []Call         `json:"calls"` // single calls, where they were asked for
	Next          *string        `json:"next"`  // always null: a report is whole
	*query.Completeness
}

// Row holds the figures of one group of calls in one period.
type Row struct {
	grouping.Period
	Group grouping.Group // in JSON each value is a field of the row
	Figures
}

// Figures are the figures of some calls. A figure that no call has is null.
type Figures struct {
	Calls     uint64  `json:"calls"`
	Errors    uint64  `json:"errors"`
	ErrorRate float64 `json:"error_rate"` // share of all calls, 0 to 1
	Truncated uint64  `json:"truncated"`
	Refused   uint64  `json:"refused"`
	Cancelled uint64  `json:"cancelled"`
	Open      uint64  `json:"open"`    // calls that have not ended
	Retries   uint64  `json:"retries"` // calls that follow a failed call, see rollup.RetryWithin
	// Streamed counts calls whose output arrived in several chunks, so that they have gaps.
	Streamed     uint64 `json:"streamed"`
	StalledCalls uint64 `json:"stalled_calls"` // calls with a stall
	Stalls       uint64 `json:"stalls"`        // gaps longer than Report.StallMS
	OutputTokens uint64 `json:"output_tokens"`

	FirstTokens     uint64   `json:"first_tokens"` // calls with a time to the first token
	FirstTokenP50MS *float64 `json:"first_token_p50_ms"`
	FirstTokenP95MS *float64 `json:"first_token_p95_ms"`
	FirstTokenP99MS *float64 `json:"first_token_p99_ms"`
	FirstTokenMaxMS *float64 `json:"first_token_max_ms"`
	TokensPerSecP5  *float64 `json:"tokens_per_second_p5"`
	TokensPerSecP50 *float64 `json:"tokens_per_second_p50"`
	GapP50MS        *float64 `json:"gap_p50_ms"` // over all gaps, within 1 %
	GapP99MS        *float64 `json:"gap_p99_ms"`
	GapMaxMS        *float64 `json:"gap_max_ms"`
	DurationP50MS   *float64 `json:"duration_p50_ms"`
	DurationP95MS   *float64 `json:"duration_p95_ms"`
	DurationMaxMS   *float64 `json:"duration_max_ms"`
}

// MarshalJSON returns the row in the form of the API.
func (r Row) MarshalJSON() ([]byte, error) { return grouping.MarshalRow(r.Group, r.Period, r.Figures) }

// UnmarshalJSON parses a row in the form of the API.
func (r *Row) UnmarshalJSON(text []byte) (err error) {
	r.Group, err = grouping.UnmarshalRow(text, Groupings, &r.Period, &r.Figures)
	return err
}

type reportRow struct {
	Period       string    `ch:"period"`
	Groups       []string  `ch:"groups"`
	IsTotal      bool      `ch:"is_total"`
	Calls        uint64    `ch:"calls"`
	Errors       uint64    `ch:"errors"`
	Truncated    uint64    `ch:"truncated"`
	Refused      uint64    `ch:"refused"`
	Cancelled    uint64    `ch:"cancelled"`
	Unended      uint64    `ch:"unended"`
	Retries      uint64    `ch:"retries"`
	Streamed     uint64    `ch:"streamed_calls"`
	StalledCalls uint64    `ch:"stalled_calls"`
	Stalls       uint64    `ch:"all_stalls"`
	Tokens       uint64    `ch:"tokens"`
	FirstTokens  uint64    `ch:"first_tokens"`
	FirstToken   []float64 `ch:"first_token_ns"`
	Rates        uint64    `ch:"rates"`
	Rate         []float64 `ch:"rate_quantiles"`
	Gap          []float64 `ch:"gap_ns"`
	Longest      int64     `ch:"longest"`
	Durations    uint64    `ch:"durations"`
	Duration     []float64 `ch:"duration_ns"`
}

// Read computes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	a, err := prepare(ctx, r, &q)
	if err != nil {
		return nil, err
	}
	rows, err := ask[reportRow](ctx, r, a, "calls_report")
	if err != nil {
		return nil, err
	}
	report := &Report{
		From: a.From, To: a.To, Timezone: a.Zone.String(),
		Granularity: a.Granularity, GroupBy: query.OrEmpty(q.GroupBy),
		StallMS: query.Millis(a.Args["stall"].(int64)), Items: []Row{}, Calls: []Call{},
	}
	for i := range rows {
		if rows[i].IsTotal {
			report.Totals = rows[i].figures()
			continue
		}
		if rows[i].Calls == 0 {
			continue // ClickHouse returns this row for an empty set
		}
		period, err := a.Granularity.Period(rows[i].Period, a.Zone)
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items,
			Row{Period: period, Group: grouping.NewGroup(q.GroupBy, rows[i].Groups), Figures: rows[i].figures()})
	}
	if q.Bins {
		if report.Distributions, err = readDistributions(ctx, r, a); err != nil {
			return nil, err
		}
	}
	if q.Limit > 0 {
		report.Calls, err = readCalls(ctx, r, a)
	}
	return report, err
}

func (r *reportRow) figures() Figures {
	f := Figures{
		Calls: r.Calls, Errors: r.Errors, Truncated: r.Truncated,
		Refused: r.Refused, Cancelled: r.Cancelled, Open: r.Unended,
		Retries: r.Retries, Streamed: r.Streamed, StalledCalls: r.StalledCalls,
		Stalls: r.Stalls, OutputTokens: r.Tokens,
		FirstTokens: r.FirstTokens,
	}
	if r.Calls > 0 {
		f.ErrorRate = float64(r.Errors) / float64(r.Calls)
	}
	millis := func(known uint64, values []float64, of ...**float64) {
		for i, p := range of {
			if known > 0 {
				ms := values[i] / 1e6
				*p = &ms
			}
		}
	}
	millis(r.FirstTokens, r.FirstToken, &f.FirstTokenP50MS, &f.FirstTokenP95MS, &f.FirstTokenP99MS, &f.FirstTokenMaxMS)
	millis(r.Streamed, append(r.Gap, float64(r.Longest)), &f.GapP50MS, &f.GapP99MS, &f.GapMaxMS)
	millis(r.Durations, r.Duration, &f.DurationP50MS, &f.DurationP95MS, &f.DurationMaxMS)
	if r.Rates > 0 {
		f.TokensPerSecP5, f.TokensPerSecP50 = &r.Rate[0], &r.Rate[1]
	}
	return f
}

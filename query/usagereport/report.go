package usagereport

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/reports"
)

// UsageGroupings are what a usage report can be grouped by; "tag:" stands for a
// tag of any name.
var Groupings = []string{"tenant", "session", "agent", "model", "provider", "node", reports.TagPrefix}

// Query asks how many tokens were used.
type Query struct {
	Tenant      string
	From, To    time.Time           // half open: reported at From or later, and before To; zero for no limit
	Zone        *time.Location      // in which periods begin; nil stands for UTC
	Granularity reports.Granularity // "" stands for Whole
	GroupBy     []string
}

// Report is the answer: a row for each period and group that used
// something, in order, and their sum.
type Report struct {
	From        *time.Time          `json:"from"`
	To          *time.Time          `json:"to"`
	Timezone    string              `json:"timezone"`
	Granularity reports.Granularity `json:"granularity"`
	GroupBy     []string            `json:"group_by"`
	Items       []Row               `json:"items"`
	Totals      query.Spent         `json:"totals"`
	Next        *string             `json:"next"` // always null: a report is whole
}

// Row is what one group used in one period.
type Row struct {
	reports.Period
	Group reports.Group // in JSON its values stand beside the others, under their names
	query.Spent
}

// MarshalJSON returns the form of the API.
func (u Row) MarshalJSON() ([]byte, error) { return reports.MarshalRow(u.Group, u.Period, u.Spent) }

// UnmarshalJSON reads the form of the API.
func (u *Row) UnmarshalJSON(text []byte) (err error) {
	if err = json.Unmarshal(text, &u.Period); err == nil {
		err = json.Unmarshal(text, &u.Spent)
	}
	if err == nil {
		u.Group, err = reports.GroupOf(text, Groupings)
	}
	return err
}

// usageColumns are the columns for groupings.
var usageColumns = map[string]string{
	"tenant": "{tenant:String}", "session": "records.session_id", "agent": "records.agent",
	"model": "records.model", "provider": "records.provider",
	// Nodes go by their names; one whose span is not known goes by its id.
	"node": "if(nodes.node_name != '', nodes.node_name, records.node_id)",
}

type usageReportRow struct {
	Period string   `ch:"period"`
	Groups []string `ch:"groups"`
	query.SumsRow
}

// Read makes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	b := reports.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Table, b.Shape.ID, b.Shape.Period = "usage", "usage_id", b.Granularity.Expression("at_ns")
	for _, name := range q.GroupBy {
		if tag, ok := strings.CutPrefix(name, reports.TagPrefix); ok {
			n := strconv.Itoa(len(b.Shape.Tags))
			b.Args["tag_"+n] = tag
			b.Shape.Tags = append(b.Shape.Tags, tag)
			// The tag of the stream that reported the usage goes before that of
			// another stream of the session.
			b.Shape.Groups = append(b.Shape.Groups, "ifNull(nullIf("+
				"arrayFirst(pair -> pair.1 = records.stream_id, tag_"+n+".by_stream).2, ''), tag_"+n+".value)")
			continue
		}
		if usageColumns[name] == "" {
			return nil, reports.NoGrouping(name, Groupings)
		}
		b.Shape.Groups = append(b.Shape.Groups, usageColumns[name])
	}
	b.Shape.ByNode = slices.Contains(q.GroupBy, "node")
	if err := b.FindExceptions(ctx, r); err != nil {
		return nil, err
	}
	rows, err := reports.Ask[usageReportRow](ctx, r, statements, b, "usage_report", b.Args)
	if err != nil {
		return nil, err
	}
	report := &Report{
		From: b.From, To: b.To, Timezone: b.Zone.String(), Granularity: b.Granularity,
		GroupBy: query.OrEmpty(q.GroupBy), Items: make([]Row, len(rows)),
	}
	for i := range rows {
		period, err := b.Granularity.Period(rows[i].Period, b.Zone)
		if err != nil {
			return nil, err
		}
		report.Items[i] = Row{Period: period, Group: reports.NewGroup(q.GroupBy, rows[i].Groups), Spent: rows[i].Spent()}
		report.Totals.Add(report.Items[i].Spent)
	}
	return report, nil
}

package query

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// UsageGroupings are what a usage report can be grouped by; "tag:" stands for a
// tag of any name.
var UsageGroupings = []string{"tenant", "session", "agent", "model", "provider", "node", TagPrefix}

// UsageQuery asks how many tokens were used.
type UsageQuery struct {
	Tenant      string
	From, To    time.Time      // half open: told at From or later, and before To; zero for no limit
	Zone        *time.Location // in which periods begin; nil stands for UTC
	Granularity Granularity    // "" stands for Whole
	GroupBy     []string
}

// UsageReport is the answer: a row for each period and group that used
// something, in order, and their sum.
type UsageReport struct {
	From        *time.Time  `json:"from"`
	To          *time.Time  `json:"to"`
	Timezone    string      `json:"timezone"`
	Granularity Granularity `json:"granularity"`
	GroupBy     []string    `json:"group_by"`
	Items       []UsageRow  `json:"items"`
	Totals      Spent       `json:"totals"`
	Next        *string     `json:"next"` // always null: a report is whole
}

// UsageRow is what one group used in one period.
type UsageRow struct {
	Period
	Group Group // in JSON its values stand beside the others, under their names
	Spent
}

// MarshalJSON gives the form of the API.
func (u UsageRow) MarshalJSON() ([]byte, error) { return marshalRow(u.Group, u.Period, u.Spent) }

// UnmarshalJSON reads the form of the API.
func (u *UsageRow) UnmarshalJSON(text []byte) (err error) {
	if err = json.Unmarshal(text, &u.Period); err == nil {
		err = json.Unmarshal(text, &u.Spent)
	}
	if err == nil {
		u.Group, err = groupOf(text, UsageGroupings)
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
	sumsRow
}

// Usage makes the report.
func (r *Reader) Usage(ctx context.Context, q UsageQuery) (*UsageReport, error) {
	b := newReport(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.shape.Table, b.shape.ID, b.shape.Period = "usage", "usage_id", b.granularity.expression("at_ns")
	for _, name := range q.GroupBy {
		if tag, ok := strings.CutPrefix(name, TagPrefix); ok {
			n := strconv.Itoa(len(b.shape.Tags))
			b.args["tag_"+n] = tag
			b.shape.Tags = append(b.shape.Tags, tag)
			// The tag of the stream that told of the usage goes before that of
			// another stream of the session.
			b.shape.Groups = append(b.shape.Groups, "ifNull(nullIf("+
				"arrayFirst(pair -> pair.1 = records.stream_id, tag_"+n+".by_stream).2, ''), tag_"+n+".value)")
			continue
		}
		if usageColumns[name] == "" {
			return nil, errNoGrouping(name, UsageGroupings)
		}
		b.shape.Groups = append(b.shape.Groups, usageColumns[name])
	}
	b.shape.ByNode = slices.Contains(q.GroupBy, "node")
	if err := b.findExceptions(ctx, r); err != nil {
		return nil, err
	}
	rows, err := askReport[usageReportRow](ctx, r, b, "usage_report", b.args)
	if err != nil {
		return nil, err
	}
	report := &UsageReport{
		From: b.from, To: b.to, Timezone: b.zone.String(), Granularity: b.granularity,
		GroupBy: orEmpty(q.GroupBy), Items: make([]UsageRow, len(rows)),
	}
	for i := range rows {
		period, err := b.granularity.period(rows[i].Period, b.zone)
		if err != nil {
			return nil, err
		}
		report.Items[i] = UsageRow{Period: period, Group: newGroup(q.GroupBy, rows[i].Groups), Spent: rows[i].spent()}
		report.Totals.add(report.Items[i].Spent)
	}
	return report, nil
}

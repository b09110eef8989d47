package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/usagereport"
)

const usageReportText = "Tokens and costs by period and group. With as_of also the cost of the same tokens at the prices of that moment."

type usageReportArguments struct {
	From        string   `json:"from,omitempty" jsonschema:"Usage at this time or later: RFC 3339, a date, or now-7d."`
	To          string   `json:"to,omitempty" jsonschema:"Usage before this time."`
	GroupBy     []string `json:"group_by,omitempty" jsonschema:"Any of model, provider, agent, session, run, node, dialect, service_tier, status, tag:NAME. Default: model."`
	Granularity string   `json:"granularity,omitempty" jsonschema:"Length of the periods: 15m, hour, day, week, month, total. Default: total."`
	Timezone    string   `json:"timezone,omitempty" jsonschema:"Time zone of the periods, such as Europe/Berlin. Default: UTC."`
	Top         int      `json:"top,omitempty" jsonschema:"Only this many groups, those of the highest cost first, and the others as one row."`
	AsOf        string   `json:"as_of,omitempty" jsonschema:"Compute repriced_cost at the prices of this moment: RFC 3339 or a date."`
	Query       string   `json:"query,omitempty" jsonschema:"Only sessions with this text in the title, the id or the value of a tag."`
	Agent       []string `json:"agent,omitempty" jsonschema:"Only sessions with one of these agents."`
	Model       []string `json:"model,omitempty" jsonschema:"Only sessions where one of these models was used."`
	Tag         []string `json:"tag,omitempty" jsonschema:"Only sessions with these tags, as name:value."`
	Cursor      string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the rows after it."`
}

// usageLine is a row of the report on usage.
type usageLine struct {
	Period      string            `json:"period,omitempty"`
	Group       map[string]string `json:"group,omitempty"`
	OtherGroups int               `json:"other_groups,omitempty"` // groups that the row sums up
	figures
	Repriced *cost.Money `json:"repriced_cost,omitempty"`
}

func usageReport(ctx context.Context, c *call, in usageReportArguments) (*answer, error) {
	from, err := c.offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	groupBy := in.GroupBy
	if len(groupBy) == 0 {
		groupBy = []string{"model"}
	}
	q := url.Values{"group_by": {strings.Join(groupBy, ",")}, "agent": in.Agent, "model": in.Model, "tag": in.Tag}
	set(q, map[string]string{"from": in.From, "to": in.To, "granularity": in.Granularity, "timezone": in.Timezone, "as_of": in.AsOf, "q": in.Query})
	if in.Top > 0 {
		set(q, map[string]string{"top": fmt.Sprint(in.Top)})
	}
	var r usagereport.Report
	if err := c.Get(ctx, "v1/usage", q, &r); err != nil {
		return nil, err
	}
	a := &answer{list: "rows"}
	a.outline = fmt.Sprintf("%d calls of models with %d tokens.", r.Totals.Calls, r.Totals.Tokens.Total)
	if r.Totals.Cost != nil {
		a.outline = fmt.Sprintf("%d calls of models with %d tokens for %s %s.", r.Totals.Calls, r.Totals.Tokens.Total,
			r.Totals.Cost.Amount, r.Totals.Cost.Currency)
	}
	if r.Totals.UnpricedCalls > 0 {
		a.outline += fmt.Sprintf(" %d calls have no price.", r.Totals.UnpricedCalls)
	}
	a.set("totals", newUsageLine(nil, nil, 0, &r.Totals))
	fromOffset(c, a, r.Items, from, "rows", func(row *usagereport.Row) any {
		return newUsageLine(row.Name, row.Group, row.OtherGroups, &row.Figures)
	})
	return a, nil
}

func newUsageLine(period *string, group map[string]*string, others int, f *usagereport.Figures) usageLine {
	line := usageLine{Group: shortGroup(group), OtherGroups: others, figures: figuresOf(&f.UsageTotals), Repriced: f.Repriced}
	if period != nil {
		line.Period = *period
	}
	return line
}

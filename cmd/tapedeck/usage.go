package main

import (
	"context"
	"net/url"
	"os"

	"tapedeck/query"
)

// reportFlags choose a report's range and groups.
type reportFlags struct {
	From        string `help:"From this time on: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To          string `help:"Before this time." placeholder:"TIME"`
	Timezone    string `help:"IANA time zone of days and hours." placeholder:"ZONE"`
	Granularity string `help:"hour, day, month or total." placeholder:"G"`
	GroupBy     string `help:"What to group by, several with commas." placeholder:"NAME,…"`
}

func (f *reportFlags) values() url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {f.From}, "to": {f.To}, "timezone": {f.Timezone}, "granularity": {f.Granularity}, "group_by": {f.GroupBy},
	})
	return q
}

// groupCells gives the cells that name a row: its period and its groups.
func groupCells(p query.Period, by []string, g query.Group) []any {
	var cells []any
	if p.Name != nil {
		cells = append(cells, *p.Name)
	}
	for _, name := range by {
		value := "(none)"
		if v := g[name]; v != nil {
			value = *v
		}
		cells = append(cells, clip(value, 40))
	}
	return cells
}

// groupHeads names those cells.
func groupHeads(granularity query.Granularity, by []string) []string {
	var heads []string
	if granularity != query.Whole {
		heads = append(heads, string(granularity))
	}
	return append(heads, by...)
}

// usageCommand reports token usage.
type usageCommand struct {
	reportFlags
	CSV bool `help:"Print CSV." name:"csv"`
}

// Run prints the report.
func (c *usageCommand) Run(ctx context.Context, g *global) error {
	q := c.values()
	if c.CSV {
		cl, err := g.client()
		if err != nil {
			return err
		}
		q.Set("format", "csv")
		return cl.copy(ctx, "v1/usage", q, "text/csv", os.Stdout)
	}
	var r query.UsageReport
	if done, err := g.fetch(ctx, "v1/usage", q, &r); done || err != nil {
		return err
	}
	t := newTable(os.Stdout, append(groupHeads(r.Granularity, r.GroupBy),
		"calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost")...)
	for i := range r.Items {
		t.row(append(groupCells(r.Items[i].Period, r.GroupBy, r.Items[i].Group), spentCells(r.Items[i].Spent)...)...)
	}
	if heads := groupHeads(r.Granularity, r.GroupBy); len(heads) > 0 {
		total := make([]any, len(heads))
		total[0] = "TOTAL"
		for i := range total[1:] {
			total[i+1] = ""
		}
		t.row(append(total, spentCells(r.Totals)...)...)
	}
	return t.flush()
}

func spentCells(s query.Spent) []any {
	n := s.Tokens
	return []any{
		thousands(s.Calls), thousands(n.Input), thousands(n.CacheRead), thousands(n.CacheWrite5m + n.CacheWrite1h),
		thousands(n.Output), thousands(n.Reasoning), thousands(n.Total), cost(s),
	}
}

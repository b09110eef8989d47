package main

import (
	"context"
	"net/url"
	"os"
	"slices"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query"
	"tapedeck/query/reports"
	"tapedeck/query/usagereport"
)

// reportFlags set a report's range and groups.
type reportFlags struct {
	From        string `help:"From this time on: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To          string `help:"Before this time." placeholder:"TIME"`
	Timezone    string `help:"IANA time zone of days and hours." placeholder:"ZONE"`
	Granularity string `help:"hour, day, month or total, which is the default." placeholder:"G"`
	CSV         bool   `help:"Print CSV." name:"csv"`
}

// values returns the query parameters of the flags; groupBy is nil if the flag is
// absent.
func (f *reportFlags) values(groupBy *string) url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {f.From}, "to": {f.To}, "timezone": {f.Timezone}, "granularity": {f.Granularity},
	})
	if groupBy != nil {
		q.Set("group_by", *groupBy) // "" means one group
	}
	return q
}

// fetch gets the report: as CSV or JSON it is printed as it comes, and done is
// true; otherwise it is read into v.
func (f *reportFlags) fetch(ctx context.Context, g *global, path string, q url.Values, v any) (done bool, err error) {
	if !f.CSV {
		return g.fetch(ctx, path, q, v)
	}
	if g.JSON {
		return false, usage.Errorf("--csv goes without --json")
	}
	cl, err := g.client()
	if err != nil {
		return false, err
	}
	q.Set("format", "csv")
	return true, cl.Copy(ctx, path, q, "text/csv", os.Stdout)
}

// ranged reports whether the flags limit the range.
func (f *reportFlags) ranged() bool { return f.From != "" || f.To != "" }

// totalCells returns the cells that name the row of all groups together.
func totalCells(heads []string) []any {
	total := make([]any, len(heads))
	for i := range total {
		total[i] = ""
	}
	total[0] = "TOTAL"
	return total
}

// groupCells returns the cells that name a row: its period and its groups.
func groupCells(p reports.Period, by []string, g reports.Group) []any {
	var cells []any
	if p.Name != nil {
		cells = append(cells, *p.Name)
	}
	for _, name := range by {
		value := "(none)"
		if v := g[name]; v != nil {
			value = *v
		}
		cells = append(cells, console.Clip(value, 40))
	}
	return cells
}

// groupHeads names those cells.
func groupHeads(granularity reports.Granularity, by []string) []string {
	var heads []string
	if granularity != reports.Whole {
		heads = append(heads, string(granularity))
	}
	return append(heads, by...)
}

// usageCommand reports token usage.
type usageCommand struct {
	reportFlags
	GroupBy *string `help:"What to group by, several with commas: tenant, session, agent, model, provider, node, tag:NAME. Default: nothing." placeholder:"NAME,…"`
}

// Run prints the report.
func (c *usageCommand) Run(ctx context.Context, g *global) error {
	var r usagereport.Report
	if done, err := c.fetch(ctx, g, "v1/usage", c.values(c.GroupBy), &r); done || err != nil {
		return err
	}
	if !r.Totals.Reported() {
		printNone("uses of tokens", c.ranged())
		return nil
	}
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(os.Stdout, append(slices.Clone(heads),
		"calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost")...)
	for i := range r.Items {
		t.Row(append(groupCells(r.Items[i].Period, r.GroupBy, r.Items[i].Group), spentCells(r.Items[i].Spent)...)...)
	}
	if len(heads) > 0 {
		t.Row(append(totalCells(heads), spentCells(r.Totals.Spent)...)...)
	}
	return t.Flush()
}

func spentCells(s query.Spent) []any {
	n := s.Tokens
	return []any{
		console.Thousands(s.Calls), tokenCount(s, n.Input), tokenCount(s, n.CacheRead), tokenCount(s, n.CacheWrite5m+n.CacheWrite1h),
		tokenCount(s, n.Output), tokenCount(s, n.Reasoning), tokenCount(s, n.Total), cost(s),
	}
}

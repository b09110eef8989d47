package printers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
)

// Usage prints a report as a table, and below it the calls without a price or with the price of
// another model. To notes it writes which list prices it used.
func Usage(w, notes io.Writer, r *usagereport.Report) error {
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(w, slices.Concat(heads, figureHeads(r))...)
	t.Optional("stated", "reasoning", "cache write", "cache read", "total")
	for i := range r.Items {
		row := &r.Items[i]
		names := groupCells(row.Period, r.GroupBy, row.Group)
		if row.OtherGroups > 0 {
			nameOthers(names[len(names)-len(r.GroupBy):], row.OtherGroups)
		}
		t.Row(append(names, figureCells(r, &row.Figures)...)...)
	}
	if len(heads) > 0 {
		t.Row(append(totalCells(heads), figureCells(r, &r.Totals)...)...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if out := t.LeftOut(); len(out) > 0 {
		fmt.Fprintf(notes, "not shown for want of width: %s\n", strings.Join(out, ", "))
	}
	for _, without := range []struct {
		head string
		list []cost.Unpriced
	}{
		{"Without a price", r.Totals.Unpriced}, {"Without a price when re-priced", r.Totals.RepricedReasons},
		{"Without a price as calls of the other model", r.Totals.WhatIfReasons},
	} {
		if err := showUnpriced(w, without.head, without.list); err != nil {
			return err
		}
	}
	if err := showInexact(w, r.Totals.Inexact); err != nil {
		return err
	}
	if err := showPlans(w, notes, r.Plans); err != nil {
		return err
	}
	if of := &r.Prices.List; of.Date != "" {
		fmt.Fprintf(console.To(notes), "list prices of %s %s, %s\n", of.Package, of.Version, of.Date)
	}
	return showFound(w, r.Totals.Findings)
}

// showInexact lists the calls that have the price of another model.
func showInexact(w io.Writer, list []cost.Inexact) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nPriced as another model")
	t := console.NewTable(w, "  model", "priced as", "calls")
	for _, x := range list {
		t.Row("  "+console.Clip(x.Model, 60), console.Clip(x.PriceModel, 60), console.Thousands(x.Calls))
	}
	return t.Flush()
}

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
func groupCells(p grouping.Period, by []string, g grouping.Group) []any {
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

// groupHeads returns the column headings of these cells.
func groupHeads(granularity grouping.Granularity, by []string) []string {
	var heads []string
	if granularity != grouping.Whole {
		heads = append(heads, string(granularity))
	}
	return append(heads, by...)
}

// nameOthers replaces the cells of a row's group by the number of groups that the row adds up.
func nameOthers(cells []any, groups int) {
	for i := range cells {
		cells[i] = ""
	}
	cells[0] = "(" + console.Count(groups, "other") + ")"
}

// figureHeads returns the column headings of a row's figures. Costs that were not requested have
// none.
func figureHeads(r *usagereport.Report) []string {
	p := &r.Prices
	heads := []string{"calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost"}
	if p.RepricedHash != nil {
		heads = append(heads, "repriced")
	}
	if p.WhatIfModel != nil {
		heads = append(heads, "what if")
	}
	if r.Plans != nil {
		heads = append(heads, "of plans")
	}
	heads = append(heads, "stated")
	if r.Totals.Findings != nil {
		heads = append(heads, "findings")
	}
	return heads
}

// figureCells returns the cells of a row's figures.
func figureCells(r *usagereport.Report, f *usagereport.Figures) []any {
	p, n := &r.Prices, f.Tokens
	cells := []any{
		console.Thousands(f.Calls), tokenCount(f.UsageTotals, n.Input), tokenCount(f.UsageTotals, n.CacheRead),
		tokenCount(f.UsageTotals, n.CacheWrite5m+n.CacheWrite1h),
		tokenCount(f.UsageTotals, n.Output), tokenCount(f.UsageTotals, n.Reasoning), tokenCount(f.UsageTotals,
			n.Total), costText(f.UsageTotals),
	}
	if p.RepricedHash != nil {
		cells = append(cells, otherCost(f.Repriced, f.RepricedUnpriced))
	}
	if p.WhatIfModel != nil {
		cells = append(cells, otherCost(f.WhatIf, f.WhatIfUnpriced))
	}
	if r.Plans != nil {
		cells = append(cells, knownMoney(f.PlanCost))
	}
	cells = append(cells, statedCosts(f.Stated, f.Calls))
	if f.Findings != nil {
		cells = append(cells, found(f.Findings))
	}
	return cells
}

// found describes how many inconsistencies there are, and in how many sessions.
func found(f *usagereport.Found) string {
	if f.Findings == 0 {
		return Unknown
	}
	return fmt.Sprintf("%s in %s", console.Thousands(f.Findings), console.Count(f.Sessions, "session"))
}

// showFound lists the inconsistencies by code.
func showFound(w io.Writer, f *usagereport.Found) error {
	if f == nil || f.Findings == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nWhat does not add up: \"tapedeck doctor usage\" lists it by session")
	t := console.NewTable(w, "  finding", "count", "sessions")
	for _, c := range f.Codes {
		t.Row("  "+c.Code, console.Thousands(c.Count), console.Thousands(c.Sessions))
	}
	return t.Flush()
}

// showUnpriced lists the calls without a price under a heading, with the reasons.
func showUnpriced(w io.Writer, head string, list []cost.Unpriced) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\n"+head)
	t := console.NewTable(w, "  reason", "model", "calls", "tokens")
	for _, u := range list {
		model := "(none)"
		if u.Model != nil {
			model = *u.Model
		}
		t.Row("  "+string(u.Reason), console.Clip(model, 60), console.Thousands(u.Calls), console.Thousands(u.Tokens))
	}
	return t.Flush()
}

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/toolreport"
)

// toolsCommand reports tool calls.
type toolsCommand struct {
	reportFlags
	sessionFilter
	GroupBy *string `help:"What to group by, several with commas: tool, agent, session; empty for one group. Default: tool." placeholder:"NAME,…"`
	Slowest int     `help:"List this many of the slowest calls, too; one that runs counts by its age." placeholder:"N"`
}

// Run prints the report.
func (c *toolsCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	q := c.values(c.GroupBy)
	c.set(q)
	if c.Slowest != 0 {
		if c.CSV {
			return usage.Errorf("--csv prints the groups alone: it goes without --slowest")
		}
		q.Set("slowest", strconv.Itoa(c.Slowest))
	}
	var r toolreport.Report
	if done, err := c.fetch(ctx, g, "v1/tools", q, &r); done || err != nil {
		return err
	}
	if r.Totals.Calls == 0 {
		printNone("tool calls", c.ranged())
		return nil
	}
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(os.Stdout, append(slices.Clone(heads),
		"calls", "errors", "error rate", "open", "min", "avg", "p50", "p90", "p95", "p99", "max")...)
	for i := range r.Items {
		row := &r.Items[i]
		t.Row(append(groupCells(row.Period, r.GroupBy, row.Group), timeCells(&row.Times)...)...)
	}
	if len(heads) > 0 {
		t.Row(append(totalCells(heads), timeCells(&r.Totals)...)...)
	}
	if err := t.Flush(); err != nil || len(r.Slowest) == 0 {
		return err
	}
	fmt.Println()
	t = console.NewTable(os.Stdout, "slowest", "tool", "status", "session", "play it")
	for i := range r.Slowest {
		s := &r.Slowest[i]
		tool := "(none)"
		if s.Tool != nil {
			tool = *s.Tool
		}
		took := s.DurationMS
		if took == nil {
			took = s.RunningMS
		}
		t.Row(millisOf(took), tool, s.Status, console.Clip(s.SessionID, 40),
			fmt.Sprintf("tapedeck play --from %s %s", s.Position, console.SessionWord(s.SessionID)))
	}
	return t.Flush()
}

func timeCells(t *toolreport.Times) []any {
	cells := []any{console.Thousands(t.Calls), console.Thousands(t.Errors), fmt.Sprintf("%.1f%%", 100*t.ErrorRate), console.Thousands(t.Open)}
	for _, ms := range []*float64{t.MinMS, t.AvgMS, t.P50MS, t.P90MS, t.P95MS, t.P99MS, t.MaxMS} {
		cells = append(cells, millisOf(ms))
	}
	return cells
}

// millisOf formats milliseconds as millis does, an unknown value as a dash.
func millisOf(ms *float64) string {
	if ms == nil {
		return "–"
	}
	return console.Millis(*ms)
}

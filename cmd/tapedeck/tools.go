package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"tapedeck/query"
)

// toolsCommand reports tool calls.
type toolsCommand struct {
	reportFlags
	Slowest int  `help:"List this many of the slowest calls." placeholder:"N"`
	CSV     bool `help:"Print CSV." name:"csv"`
}

// Run prints the report.
func (c *toolsCommand) Run(ctx context.Context, g *global) error {
	q := c.values()
	if c.Slowest > 0 {
		q.Set("slowest", strconv.Itoa(c.Slowest))
	}
	if c.CSV {
		cl, err := g.client()
		if err != nil {
			return err
		}
		q.Set("format", "csv")
		return cl.copy(ctx, "v1/tools", q, "text/csv", os.Stdout)
	}
	var r query.ToolReport
	if done, err := g.fetch(ctx, "v1/tools", q, &r); done || err != nil {
		return err
	}
	t := newTable(os.Stdout, append(groupHeads(r.Granularity, r.GroupBy),
		"calls", "errors", "error rate", "open", "min", "avg", "p50", "p90", "p95", "p99", "max")...)
	for i := range r.Items {
		row := &r.Items[i]
		t.row(append(groupCells(row.Period, r.GroupBy, row.Group), timeCells(&row.ToolTimes)...)...)
	}
	if err := t.flush(); err != nil || len(r.Slowest) == 0 {
		return err
	}
	fmt.Println()
	t = newTable(os.Stdout, "slowest", "tool", "status", "session", "play it")
	for i := range r.Slowest {
		s := &r.Slowest[i]
		tool := "(none)"
		if s.Tool != nil {
			tool = *s.Tool
		}
		t.row(millis(s.DurationMS), tool, s.Status, clip(s.SessionID, 40),
			fmt.Sprintf("tapedeck play %s --from %s", shellWord(s.SessionID), s.Position))
	}
	return t.flush()
}

func timeCells(t *query.ToolTimes) []any {
	cells := []any{thousands(t.Calls), thousands(t.Errors), fmt.Sprintf("%.1f%%", 100*t.ErrorRate), thousands(t.Open)}
	for _, ms := range []*float64{t.MinMS, t.AvgMS, t.P50MS, t.P90MS, t.P95MS, t.P99MS, t.MaxMS} {
		if ms == nil {
			cells = append(cells, "–")
			continue
		}
		cells = append(cells, millis(*ms))
	}
	return cells
}

package printers

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"tapedeck/internal/console"
	"tapedeck/query/report/toolreport"
)

// ToolReport writes a report of tool calls, and below it the slowest calls, each with the command
// that plays it.
func ToolReport(out io.Writer, r *toolreport.Report) error {
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(out, append(slices.Clone(heads),
		"calls", "errors", "error rate", "open", "min", "avg", "p50", "p90", "p95", "p99", "max")...)
	t.Optional("min", "avg", "p90", "p99", "open", "p95")
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
	fmt.Fprintln(out)
	t = console.NewTable(out, "slowest", "tool", "status", "session", "play it")
	t.Optional("session", "status") // the command names the session
	t.Below()
	for i := range r.Slowest {
		s := &r.Slowest[i]
		tool := "(none)"
		if s.Tool != nil {
			tool = *s.Tool
		}
		t.Row(millisOf(cmp.Or(s.DurationMS, s.RunningMS, s.OpenMS)), tool, s.Status, console.Clip(s.SessionID, 40),
			fmt.Sprintf("tapedeck play --from %s %s", s.Position, console.SessionWord(s.SessionID)))
	}
	return t.Flush()
}

func timeCells(t *toolreport.Times) []any {
	cells := []any{console.Thousands(t.Calls), console.Thousands(t.Errors), fmt.Sprintf("%.1f%%", 100*t.ErrorRate),
		console.Thousands(t.Open)}
	for _, ms := range []*float64{t.MinMS, t.AvgMS, t.P50MS, t.P90MS, t.P95MS, t.P99MS, t.MaxMS} {
		cells = append(cells, millisOf(ms))
	}
	return cells
}

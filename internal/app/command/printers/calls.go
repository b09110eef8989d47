package printers

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/report/modelcalls"
)

// CallReport writes a report of model calls, and below it the individual calls that it lists.
func CallReport(out io.Writer, r *modelcalls.Report) error {
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(out, append(slices.Clone(heads),
		"calls", "errors", "cut or refused", "open", "retries", "first token", "p95", "tokens/s", "gap p99", "longest", "stalls", "took", "p95")...)
	t.Optional("gap p99", "longest", "retries", "open", "stalls", "cut or refused", "p95")
	for i := range r.Items {
		row := &r.Items[i]
		t.Row(append(groupCells(row.Period, r.GroupBy, row.Group), callCells(&row.Figures)...)...)
	}
	if len(heads) > 0 {
		t.Row(append(totalCells(heads), callCells(&r.Totals)...)...)
	}
	if err := t.Flush(); err != nil || len(r.Calls) == 0 {
		return err
	}
	fmt.Fprintln(out)
	return printCalls(out, r.Calls)
}

// callCells returns the cells of a group of calls. Columns that name no quantile are medians.
func callCells(f *modelcalls.Figures) []any {
	rate := "–"
	if f.TokensPerSecP50 != nil {
		rate = strconv.FormatFloat(*f.TokensPerSecP50, 'f', 1, 64)
	}
	return []any{
		console.Thousands(f.Calls), console.Thousands(f.Errors), console.Thousands(f.Truncated + f.Refused), console.Thousands(f.Open),
		console.Thousands(f.Retries), millisOf(f.FirstTokenP50MS), millisOf(f.FirstTokenP95MS), rate,
		millisOf(f.GapP99MS), millisOf(f.GapMaxMS), console.Thousands(f.Stalls), millisOf(f.DurationP50MS), millisOf(f.DurationP95MS),
	}
}

// printCalls lists individual calls, each with the command that plays it.
func printCalls(out io.Writer, calls []modelcalls.Call) error {
	t := console.NewTable(out, "started", "model", "ended", "first token", "longest gap", "took", "session", "play it")
	t.Optional("session", "longest gap", "took", "first token")
	t.Below()
	for i := range calls {
		c := &calls[i]
		model := "(none)"
		if c.Model != nil {
			model = *c.Model
		}
		t.Row(c.Started.Local().Format(time.DateTime), console.Clip(model, 40), string(c.Outcome),
			millisOf(c.FirstTokenMS), millisOf(c.LongestGapMS),
			millisOf(c.DurationMS), console.Clip(c.SessionID, 40), fmt.Sprintf("tapedeck play --from %s %s",
				c.Position, console.SessionWord(c.SessionID)))
	}
	return t.Flush()
}

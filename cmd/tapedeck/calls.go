package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/modelcalls"
)

// callsCommand reports calls of models.
type callsCommand struct {
	reportFlags
	GroupBy *string       `help:"What to group by, several with commas: model, provider, agent, session; empty for one group. Default: model." placeholder:"NAME,…"`
	Outcome []string      `help:"Only calls that ended so: ok, error, truncated, refused, cancelled, unclosed, open." placeholder:"OUTCOME"`
	Stall   time.Duration `help:"How long a gap is at least to count as a stall. Default: 5s." placeholder:"D"`
	List    int           `help:"List this many single calls, too, up to 1000." placeholder:"N"`
	Order   string        `help:"Of the single calls: newest, first_token, longest_gap, duration or slowest_rate. Default: newest." placeholder:"ORDER"`
	sessionFilter
}

// Run prints the report.
func (c *callsCommand) Run(ctx context.Context, g *global) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	var r modelcalls.Report
	if done, err := c.fetch(ctx, g, "v1/calls", q, &r); done || err != nil {
		return err
	}
	if r.Totals.Calls == 0 {
		printNone("calls of models", c.ranged())
		return nil
	}
	heads := groupHeads(r.Granularity, r.GroupBy)
	t := console.NewTable(os.Stdout, append(slices.Clone(heads),
		"calls", "errors", "cut or refused", "open", "retries", "first token", "p95", "tokens/s", "gap p99", "longest", "stalls", "took", "p95")...)
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
	fmt.Println()
	return printCalls(r.Calls)
}

func (c *callsCommand) query() (url.Values, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Stall < 0 {
		return nil, usage.Errorf("--stall %v: it must be above 0s, as 5s", c.Stall)
	}
	if c.CSV && c.List != 0 {
		return nil, usage.Errorf("--csv prints the groups alone: it goes without --list")
	}
	q := c.values(c.GroupBy)
	c.set(q)
	setAll(q, map[string][]string{"outcome": c.Outcome, "order": {c.Order}})
	if c.Stall > 0 {
		q.Set("stall", c.Stall.String())
	}
	if !c.CSV {
		q.Set("limit", strconv.Itoa(c.List))
	}
	return q, nil
}

// callCells are the cells of some calls. The columns for quantiles without a name are medians.
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

// printCalls lists single calls, each with the command that plays its moment.
func printCalls(calls []modelcalls.Call) error {
	t := console.NewTable(os.Stdout, "started", "model", "ended", "first token", "longest gap", "took", "session", "play it")
	for i := range calls {
		c := &calls[i]
		model := "(none)"
		if c.Model != nil {
			model = *c.Model
		}
		t.Row(c.Started.Local().Format(time.DateTime), console.Clip(model, 40), string(c.Outcome), millisOf(c.FirstTokenMS), millisOf(c.LongestGapMS),
			millisOf(c.DurationMS), console.Clip(c.SessionID, 40), fmt.Sprintf("tapedeck play --from %s %s", c.Position, console.SessionWord(c.SessionID)))
	}
	return t.Flush()
}

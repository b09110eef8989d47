package main

import (
	"context"
	"os"
	"strconv"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/report/toolreport"
)

// toolsCommand reports tool calls.
type toolsCommand struct {
	reportFlags
	tableFormat
	sessionFilter
	GroupBy *string `predictor:"tool-groups" help:"What to group by, several with commas: tool, agent, session; empty for one group. Default: tool." placeholder:"NAME,…"`
	Slowest int     `help:"List this many of the slowest calls, too; one that runs counts by its age, one without an end until its stream or run ended." placeholder:"N"`
}

// Run prints the report.
func (c *toolsCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	c.apply(g, &c.reportFlags)
	q := c.values(c.GroupBy)
	c.set(q)
	if c.Slowest != 0 {
		if c.CSV {
			return commandline.Errorf("--format csv prints the groups alone: it goes without --slowest")
		}
		q.Set("slowest", strconv.Itoa(c.Slowest))
	}
	var r toolreport.Report
	if done, err := c.fetch(ctx, g, "v1/tools", q, &r); done || err != nil {
		return err
	}
	if r.Totals.Calls == 0 {
		printNone("tool calls", c.narrowed(&c.sessionFilter))
		return nil
	}
	return printers.ToolReport(os.Stdout, &r)
}

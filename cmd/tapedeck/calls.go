package main

import (
	"context"
	"net/url"
	"os"
	"strconv"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/report/modelcalls"
)

// callsCommand reports calls of models.
type callsCommand struct {
	reportFlags
	tableFormat
	GroupBy *string       `predictor:"call-groups" help:"What to group by, several with commas: model, provider, agent, session; empty for one group. Default: model." placeholder:"NAME,…"`
	Outcome []string      `help:"Only calls that ended so: ok, error, truncated, refused, cancelled, unclosed, open." placeholder:"OUTCOME"`
	Stall   time.Duration `help:"How long a gap is at least to count as a stall. Default: 5s." placeholder:"D"`
	List    int           `help:"List this many single calls, too, up to 1000." placeholder:"N"`
	Order   string        `help:"Of the single calls: newest, first_token, longest_gap, duration or slowest_rate. Default: newest." placeholder:"ORDER"`
	sessionFilter
}

// callsListed is the largest number of single calls that the server lists.
const callsListed = 1000

// Run prints the report.
func (c *callsCommand) Run(ctx context.Context, g *global) error {
	c.apply(g, &c.reportFlags)
	q, err := c.query()
	if err != nil {
		return err
	}
	var r modelcalls.Report
	if done, err := c.fetch(ctx, g, "v1/calls", q, &r); done || err != nil {
		return err
	}
	if r.Totals.Calls == 0 {
		printNone("calls of models", len(c.Outcome) > 0 || c.narrowed(&c.sessionFilter))
		return nil
	}
	return printers.CallReport(os.Stdout, &r)
}

func (c *callsCommand) query() (url.Values, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Stall < 0 {
		return nil, commandline.Errorf("--stall %v: it must be above 0s, as 5s", c.Stall)
	}
	if c.List < 0 || c.List > callsListed {
		return nil, commandline.Errorf("--list %d: it must be from 0 to %d", c.List, callsListed)
	}
	if c.CSV && c.List != 0 {
		return nil, commandline.Errorf("--format csv prints the groups alone: it goes without --list")
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

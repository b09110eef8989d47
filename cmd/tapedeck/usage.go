package main

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"os"
	"strconv"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/report/usagereport"
)

// reportFlags set the time range and the groups of a report.
type reportFlags struct {
	From        timeFlag `help:"From this time on: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month; words are days of --timezone. --since and --until are the same flags as --from and --to." placeholder:"TIME" aliases:"since"`
	To          timeFlag `help:"Before this time, as with --from: --to today ends with yesterday." placeholder:"TIME" aliases:"until"`
	Timezone    string   `help:"IANA time zone of days and hours." placeholder:"ZONE"`
	Granularity string   `predictor:"granularity" help:"15m, hour, day, week, month or total, which is the default." placeholder:"G"`
	CSV         bool     `help:"The same as --format csv." name:"csv" hidden:""`
	Raw         bool     `help:"With csv: recorded text as it is. Without it, text that a spreadsheet would run gets an apostrophe before it."`
}

// values returns the query parameters of the flags; groupBy is nil if the flag is not set.
func (f *reportFlags) values(groupBy *string) url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {f.From.in(f.Timezone)}, "to": {f.To.in(f.Timezone)}, "timezone": {f.Timezone}, "granularity": {f.Granularity},
	})
	if groupBy != nil {
		q.Set("group_by", *groupBy) // "" means one group
	}
	return q
}

// fetch requests the report. It prints CSV or JSON unchanged and returns done; otherwise it decodes
// the answer into v.
func (f *reportFlags) fetch(ctx context.Context, g *global, path string, q url.Values, v any) (done bool, err error) {
	if f.Raw && !f.CSV {
		return false, errRawFormat
	}
	if !f.CSV {
		return g.fetch(ctx, path, q, v)
	}
	if g.JSON {
		return false, commandline.Errorf("--format csv goes without --json")
	}
	cl, err := g.client()
	if err != nil {
		return false, err
	}
	q.Set("format", "csv")
	if f.Raw {
		q.Set("raw", "1")
	}
	return true, cl.Copy(ctx, path, q, "text/csv", console.Recorded(os.Stdout))
}

// tableFormat is the format of a report that is no file.
type tableFormat struct {
	Format string `help:"A table, or csv or json." enum:"table,csv,json" default:"table" placeholder:"FORMAT"`
}

// apply sets the flags that are equal to a format.
func (t *tableFormat) apply(g *global, f *reportFlags) {
	f.CSV = f.CSV || t.Format == "csv"
	g.JSON = g.JSON || t.Format == "json"
}

// errRawFormat is the error for --raw without CSV.
var errRawFormat = commandline.Errorf("--raw goes with --format csv: other formats have recorded text as it is")

// narrowed reports whether the flags exclude sessions or times.
func (f *reportFlags) narrowed(of *sessionFilter) bool {
	q := url.Values{}
	of.set(q)
	return f.From != "" || f.To != "" || len(q) > 0
}

// usageCommand reports token usage and its cost.
type usageCommand struct {
	reportFlags
	GroupBy     *string  `predictor:"usage-groups" help:"What to group by, several with commas: tenant, session, run, agent, node, model, provider, dialect, service_tier, status (how the call ended), tag:NAME. Default: nothing." placeholder:"NAME,…"`
	Order       string   `help:"Order of the rows: period, cost, tokens or calls; with a - before it the highest first, as --order=-cost. Default: period." placeholder:"ORDER"`
	Top         int      `help:"List this many groups, the first by --order, and the others as one row. Default: all." placeholder:"N"`
	AsOf        timeFlag `help:"Show what the calls cost at the prices of this time, too." placeholder:"TIME"`
	Prices      string   `help:"Show what the calls cost by the price table with this hash, too." placeholder:"HASH"`
	WhatIfModel string   `help:"Show what the same tokens cost as calls of this model, too." name:"what-if-model" placeholder:"MODEL"`
	Findings    bool     `help:"Show how much does not add up in the sessions whose usage is in each row."`
	Plans       bool     `help:"Show what falls on each row of the prices of the plans that the price file states, beside the cost."`
	Limits      bool     `help:"List what agents stated last of the limits of their accounts (windows, quotas, credits) instead; they are no usage. --group-by tag:NAME tells accounts apart."`
	Currency    string   `help:"Fail unless costs are in this currency." placeholder:"CODE"`
	fileFlags
	callsFlags
	sessionFilter
}

// Run prints the report.
func (c *usageCommand) Run(ctx context.Context, g *global) error {
	format, err := c.format(g)
	if err != nil {
		return err
	}
	if c.Limits {
		return c.runLimits(ctx, g, format)
	}
	q, err := c.parameters()
	if err != nil {
		return err
	}
	if format != "table" && (!c.Calls || format != "json") {
		q.Set("format", format)
	}
	if c.Raw {
		if format != "csv" {
			return errRawFormat
		}
		q.Set("raw", "1")
	}
	switch {
	case c.Calls:
		return c.runCalls(ctx, g, format, q)
	case format != "table":
		return g.writeTo(ctx, c.Output, c.Force, func(cl *apiclient.Client, out io.Writer) error {
			return cl.Copy(ctx, "v1/usage", q, cmp.Or(exportMedia[format], "application/json"), out)
		})
	}
	var r usagereport.Report
	if _, err := g.fetch(ctx, "v1/usage", q, &r); err != nil {
		return err
	}
	if !r.Totals.Reported() {
		printNone("uses of tokens", c.narrowed(&c.sessionFilter))
		return nil
	}
	return printers.Usage(os.Stdout, os.Stderr, &r)
}

// parameters returns the query parameters of the flags.
func (c *usageCommand) parameters() (url.Values, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Top < 0 {
		return nil, commandline.Errorf("--top %d: it must be 0, which lists all groups, or more", c.Top)
	}
	if c.Top > 0 && (c.GroupBy == nil || *c.GroupBy == "") {
		return nil, commandline.Errorf("--top goes with --group-by: without it there are no groups to list")
	}
	q := c.values(c.GroupBy)
	setAll(q, map[string][]string{
		"order": {c.Order}, "as_of": {c.AsOf.in(c.Timezone)}, "prices": {c.Prices}, "what_if_model": {c.WhatIfModel}, "currency": {c.Currency},
	})
	if c.Findings {
		q.Set("findings", "1")
	}
	if c.Plans {
		q.Set("plans", "1")
	}
	if c.Top > 0 {
		q.Set("top", strconv.Itoa(c.Top))
	}
	c.set(q)
	return q, nil
}

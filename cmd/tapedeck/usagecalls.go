package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
)

const (
	callsPath   = "v1/usage/calls"
	callsAtOnce = 1000 // the server's largest page
	callsShown  = 50   // in a table, unless --limit is set
	callsMost   = 1 << 40
)

// fileFlags hold the format and the file of a report or of charges.
type fileFlags struct {
	Format string `help:"A table, or json, ndjson, csv or parquet; with --calls also cloudevents (one event on each line)." enum:"table,json,ndjson,csv,parquet,cloudevents" default:"table" placeholder:"FORMAT"`
	Output string `help:"The file to write; - for standard output." short:"o" placeholder:"FILE"`
	Force  bool   `help:"Write over a file that is there." short:"f"`
}

// callsFlags hold the flags for listing charges.
type callsFlags struct {
	Calls bool `help:"List the charges, one for each call, with everything their costs were computed from."`
	Limit *int `help:"With --calls, in a table or json: how many at most. Default: 50 in a table, all in json." short:"n" placeholder:"N"`
}

// exportMedia are the media types of formats of any length.
var exportMedia = map[string]string{
	"ndjson": "application/x-ndjson", "csv": "text/csv", "parquet": "application/vnd.apache.parquet", "cloudevents": "application/x-ndjson",
}

// runCalls lists charges, or writes them to a file.
func (c *usageCommand) runCalls(ctx context.Context, g *global, format string, q url.Values) error {
	if format == "table" {
		return c.showCalls(ctx, g, q)
	}
	return g.writeTo(ctx, c.Output, c.Force, func(cl *apiclient.Client, out io.Writer) error {
		if format == "json" {
			return cl.CopyPages(ctx, callsPath, q, c.limit(callsMost), callsAtOnce, out)
		}
		return cl.Copy(ctx, callsPath, q, exportMedia[format], out)
	})
}

// format returns the format, and an error for flags that are incompatible with it.
func (c *usageCommand) format(g *global) (string, error) {
	format := c.Format
	for _, other := range []struct {
		set  bool
		name string
	}{{g.JSON, "json"}, {c.CSV, "csv"}} {
		switch {
		case !other.set || format == other.name:
		case format != "table":
			return "", commandline.Errorf("--%s goes without %s", other.name, c.otherFormat())
		default:
			format = other.name
		}
	}
	switch {
	case format == "table" && c.Output != "":
		return "", commandline.Errorf("name the format of %s with --format", c.Output)
	case format == "parquet" && c.Output == "":
		return "", commandline.Errorf("name the file to write with -o FILE, or -o - for standard output")
	case !c.Calls && format == "cloudevents":
		return "", commandline.Errorf("--format cloudevents goes with --calls: a report has no events")
	case !c.Calls && c.Limit != nil:
		return "", commandline.Errorf("--limit goes with --calls: --top limits the groups of a report")
	case !c.Calls:
	case c.Findings:
		return "", commandline.Errorf("--findings goes without --calls: findings are of sessions")
	case c.Plans:
		return "", commandline.Errorf("--plans goes without --calls: a charge is billed at the price of its call")
	case c.GroupBy != nil || c.Granularity != "" || c.Order != "" || c.Top != 0:
		return "", commandline.Errorf("--group-by, --granularity, --order and --top go without --calls: the charges are listed in order of time")
	case c.Limit != nil && *c.Limit < 1:
		return "", commandline.Errorf("--limit %d: it must be 1 or more", *c.Limit)
	case c.Limit != nil && format != "table" && format != "json":
		return "", commandline.Errorf("--limit goes with a table or json: %s has all charges", format)
	}
	return format, nil
}

// otherFormat returns the flag that selected the format: --json or --format.
func (c *usageCommand) otherFormat() string {
	if c.Format == "table" {
		return "--json"
	}
	return "--format " + c.Format
}

// limit returns --limit, or otherwise if it is not set.
func (c *usageCommand) limit(otherwise int) int {
	if c.Limit == nil {
		return otherwise
	}
	return *c.Limit
}

// showCalls prints charges as a table.
func (c *usageCommand) showCalls(ctx context.Context, g *global, q url.Values) error {
	t := printers.NewChargeTable(os.Stdout, q.Has("as_of") || q.Has("prices"), q.Has("what_if_model"))
	limit := c.limit(callsShown)
	shown, next, err := list(ctx, g, callsPath, q, limit, callsAtOnce, t.Add)
	if err != nil {
		return err
	}
	if shown == 0 {
		printNone("uses of tokens", c.narrowed(&c.sessionFilter))
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or --format csv --output FILE for all.\n", 10*limit)
	}
	return nil
}

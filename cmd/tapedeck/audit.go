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

// auditCommand lists the audit log.
type auditCommand struct {
	By      string   `help:"Only what this principal did: its id or name." placeholder:"WHO"`
	Action  string   `help:"Only this action, like session.replay, or a kind of objects, like session or token." placeholder:"ACTION"`
	Object  string   `help:"Only what was done to this: the id of a session or token, the number of a bill." placeholder:"ID"`
	Outcome string   `help:"Only this outcome: begun, done, refused, invalid, failed or aborted." enum:",begun,done,refused,invalid,failed,aborted" default:"" placeholder:"OUTCOME"`
	From    timeFlag `help:"Only from this time on: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To      timeFlag `help:"Only before this time." placeholder:"TIME" aliases:"until"`
	Limit   int      `help:"How many to list at most, in a table or json." short:"n" default:"50" placeholder:"N"`
	Format  string   `help:"A table, or json, or ndjson or csv with all entries." enum:"table,json,ndjson,csv" default:"table" placeholder:"FORMAT"`
	Raw     bool     `help:"With csv: recorded text as it is. Without it, text that a spreadsheet would run gets an apostrophe before it."`
	Output  string   `help:"With ndjson and csv: the file to write; - for standard output." short:"o" placeholder:"FILE"`
	Force   bool     `help:"Write over a file that is there." short:"f"`
}

const (
	auditPath   = "v1/audit"
	auditAtOnce = 1000 // the server's largest page
)

// Run lists entries, the latest first, or writes all entries to a file.
func (c *auditCommand) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return commandline.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	q := url.Values{}
	setAll(q, map[string][]string{
		"principal": {c.By}, "action": {c.Action}, "object": {c.Object}, "outcome": {c.Outcome}, "from": {c.From.utc()}, "to": {c.To.utc()},
	})
	media := exportMedia[c.Format]
	if c.Raw {
		if c.Format != "csv" {
			return errRawFormat
		}
		q.Set("raw", "1")
	}
	switch {
	case g.JSON && media != "":
		return commandline.Errorf("--json goes without --format %s", c.Format)
	case media != "":
		return c.write(ctx, g, q, media)
	case c.Output != "":
		return commandline.Errorf("--output goes with --format ndjson or csv")
	case c.Format == "json":
		g.JSON = true
	}
	t := printers.NewAuditTable(os.Stdout)
	narrowed := len(q) > 0
	shown, next, err := list(ctx, g, auditPath, q, c.Limit, auditAtOnce, t.Add)
	if err != nil || g.JSON {
		return err
	}
	if shown == 0 {
		if narrowed {
			printNone("entries", true)
		} else {
			fmt.Fprintln(os.Stderr, "No entries: nothing that is audited was done yet.")
		}
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or --format csv --output FILE for all.\n", 10*c.Limit)
	}
	return nil
}

// write writes all entries to a file.
func (c *auditCommand) write(ctx context.Context, g *global, q url.Values, media string) error {
	q.Set("format", c.Format)
	return g.writeTo(ctx, c.Output, c.Force, func(cl *apiclient.Client, out io.Writer) error {
		return cl.Copy(ctx, auditPath, q, media, out)
	})
}

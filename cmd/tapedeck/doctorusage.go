package main

import (
	"context"
	"net/url"
	"os"
	"strings"

	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/billing/reconcile"
)

// reconciledAtOnce is the server's largest page.
const reconciledAtOnce = 100

// doctorUsageCommand checks recorded usage.
type doctorUsageCommand struct {
	exportFlags
	From    timeFlag `help:"Sessions that started at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To      timeFlag `help:"Sessions that started before this time." placeholder:"TIME" aliases:"until"`
	Query   string   `help:"Text in the title, the id or a tag." short:"q" placeholder:"TEXT"`
	Tag     []string `help:"Only with this tag: name, name=value or name:value." placeholder:"K=V" sep:"none"`
	Agent   nameList `help:"Only of this agent; an empty name for usage of an unknown one." placeholder:"NAME"`
	Tool    nameList `help:"Only where this tool was called; an empty name for calls without a name." placeholder:"NAME"`
	Model   nameList `help:"Only where this model was used; an empty name for usage of an unknown one." placeholder:"NAME"`
	Dialect []string `predictor:"dialect" help:"Only with a stream of this dialect." placeholder:"NAME"`
	Status  []string `help:"Only with this status: running, quiet, lost, ok, error, cancelled, incomplete." placeholder:"STATUS"`
	Finding []string `help:"Only sessions with this finding, such as stated_total, without_usage or lost_frames. Default: any." placeholder:"CODE"`
	Limit   int      `help:"How many sessions, or differences of an export, to list at most." default:"50" short:"n" placeholder:"N"`
}

// Run compares and prints the differences. It fails if there are any.
func (c *doctorUsageCommand) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return commandline.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	if err := checkTags("--tag", c.Tag); err != nil {
		return err
	}
	q := c.values()
	if c.Export != "" {
		if len(q) > 0 {
			return commandline.Errorf("--export goes without flags that choose sessions: an export is of all of them")
		}
		return c.compare(ctx, g, c.Limit)
	}
	if c.Provider != "" || c.All || len(c.Ignore) > 0 {
		return commandline.Errorf("--provider, --ignore and --all go with --export")
	}
	if len(c.Finding) == 0 {
		q.Set("finding", reconcile.Any)
	}
	t := console.NewTable(os.Stdout, "session", "started", "calls", "tokens", "finding", "what")
	shown, next, err := list(ctx, g, "v1/usage/reconciliation", q, c.Limit, reconciledAtOnce, func(s *reconcile.Session) {
		for _, f := range s.Findings {
			t.Row(console.Clip(s.ID, 40), console.LocalTime(s.Started), console.Thousands(s.Calls),
				console.Thousands(s.Tokens.Total), f.Code, f.Detail)
		}
	})
	if err != nil || g.JSON {
		return err
	}
	w := console.To(os.Stdout)
	if shown == 0 && next == nil {
		_, err := w.Write([]byte("Nothing found: usage adds up to what streams state, and none is missing.\n"))
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		if _, err := w.Write([]byte("There may be more: --limit lists more of them, --from and --to choose others.\n")); err != nil {
			return err
		}
	}
	return exitCode(exitFailed)
}

// values returns the query parameters of the flags.
func (c *doctorUsageCommand) values() url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {c.From.utc()}, "to": {c.To.utc()}, "q": {c.Query}, "tag": colonTags(c.Tag), "dialect": c.Dialect,
		"status": c.Status, "finding": {strings.Join(c.Finding, ",")},
	})
	setNames(q, map[string]nameList{"agent": c.Agent, "tool": c.Tool, "model": c.Model})
	return q
}

package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
)

// sessionsCommand lists sessions.
type sessionsCommand struct {
	From timeFlag `help:"Started at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To   timeFlag `help:"Started before this time." placeholder:"TIME" aliases:"until"`
	sessionFilter
	Sort  string `help:"Order: started, last_at, duration, tokens or cost; with a - before it the highest first, as --sort=-duration. Default: -started." placeholder:"FIELD"`
	Limit int    `help:"How many at most." default:"50" short:"n"`

	Findings bool `help:"Show what of the usage of each session does not add up."`
}

// Run prints the list.
func (c *sessionsCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	q := url.Values{}
	setAll(q, map[string][]string{"from": {c.From.utc()}, "to": {c.To.utc()}, "sort": {c.Sort}})
	c.set(q)
	if c.Findings {
		q.Set("findings", "1")
	}
	filtered := slices.ContainsFunc(slices.Collect(maps.Keys(q)), func(name string) bool { return name != "sort" && name != "findings" })
	t := printers.NewSessionTable(os.Stdout, c.costs(), c.Findings)
	shown, next, err := list(ctx, g, "v1/sessions", q, c.Limit, knownrecordings.SessionsAtOnce, t.Add)
	if err != nil || g.JSON {
		return err
	}
	if shown == 0 {
		printNone("sessions", filtered)
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or narrow the list with --from, --query, --status …\n",
			10*c.Limit)
	}
	return nil
}

// costs reports whether costs are requested.
func (c *sessionsCommand) costs() bool {
	return c.MinCost != "" || c.MaxCost != "" || strings.TrimPrefix(c.Sort, "-") == "cost"
}

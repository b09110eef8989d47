package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/query/session/openspans"
)

// openAtOnce is the largest page of GET /v1/open.
const openAtOnce = 200

// openCommand lists what runs now.
type openCommand struct {
	sessionFilter
	Sort  string `help:"Order of the sessions: started, last_at, duration, tokens or cost; with a - before it the highest first. Default: started." placeholder:"FIELD"`
	Limit int    `help:"How many sessions at most." default:"50" short:"n"`
}

// Run prints the open sessions with their open spans.
func (c *openCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	q := url.Values{}
	c.set(q)
	filtered := len(q) > 0
	setAll(q, map[string][]string{"sort": {c.Sort}})
	t := printers.NewOpenTable(os.Stdout)
	shown, next, err := list(ctx, g, "v1/open", q, c.Limit, openAtOnce, func(s *openspans.Session) { t.Add(s) })
	if err != nil || g.JSON {
		return err
	}
	if shown == 0 {
		what := "Nothing runs."
		if filtered {
			what = "Nothing runs that matches these flags."
		}
		fmt.Fprintln(os.Stderr, what)
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or narrow the list with --agent, --tag, --silent-for …\n", 10*c.Limit)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/search"
)

// searchCommand finds messages and errors by their words.
type searchCommand struct {
	Words   []string `arg:"" name:"words" help:"Words, \"phrases\" and prefixes* that must all occur in a text. Protect the quotation marks of a phrase from the shell: '\"timed out\"'."`
	From    timeFlag `help:"Recorded at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To      timeFlag `help:"Recorded before this time." placeholder:"TIME" aliases:"until"`
	Kind    []string `predictor:"text-kind" help:"Only texts of this kind: system, user, assistant, thinking, tool_arguments, tool_output, tool_result, reply, error." placeholder:"KIND"`
	Role    []string `predictor:"text-role" help:"Only texts of this role: system, user, assistant, tool." placeholder:"ROLE"`
	Session []string `predictor:"session" help:"Only in this session." placeholder:"ID" sep:"none"`
	Order   string   `help:"newest, which is the default, or relevance." placeholder:"ORDER"`
	Limit   int      `help:"How many hits at most, up to 100." default:"20" short:"n"`
	Cursor  string   `help:"Go on where a search ended that printed this." placeholder:"POS"`
	namelessFilter
}

// Run prints the hits.
func (c *searchCommand) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return commandline.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	if err := c.check(); err != nil {
		return err
	}
	q := url.Values{}
	c.set(q)
	setAll(q, map[string][]string{
		"from": {c.From.utc()}, "to": {c.To.utc()}, "kind": c.Kind, "role": c.Role, "session": c.Session, "order": {c.Order},
	})
	filtered := len(q) > 0
	setAll(q, map[string][]string{"cursor": {c.Cursor}})
	q.Set("q", strings.Join(c.Words, " "))
	q.Set("limit", strconv.Itoa(c.Limit))
	client, err := g.client()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := client.Get(ctx, "v1/search", q, &raw); err != nil {
		var refused *apiclient.Error
		if errors.As(err, &refused) && refused.Parameter == "q" { // not a flag: the words are arguments
			refused.Parameter = ""
			if rest, ok := strings.CutPrefix(refused.Detail, "q "); ok {
				refused.Detail = "The search " + rest
			}
		}
		return err
	}
	var found search.Answer
	if err := json.Unmarshal(raw, &found); err != nil {
		return fmt.Errorf("read the server's answer to v1/search: %w", err)
	}
	if len(found.Items) == 0 {
		if err := checkSessions(ctx, client, c.Session...); err != nil {
			return err
		}
	}
	if g.JSON {
		_, err := fmt.Fprintf(console.Recorded(os.Stdout), "%s\n", raw)
		return err
	}
	if err := printers.Hits(os.Stdout, found.Items, console.IsTerminal(os.Stdout)); err != nil {
		return err
	}
	printers.ExplainSearch(os.Stderr, &found, filtered, c.Cursor != "")
	return nil
}

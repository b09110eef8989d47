package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"

	"tapedeck/query"
)

// sessionsCommand lists sessions.
type sessionsCommand struct {
	From   string   `help:"Started at this time or later: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To     string   `help:"Started before this time." placeholder:"TIME"`
	Query  string   `help:"Text in the title, the id or a tag." short:"q" placeholder:"TEXT"`
	Tag    []string `help:"Only with this tag: name or name:value." placeholder:"K:V" sep:"none"`
	Agent  []string `help:"Only of this agent." placeholder:"NAME"`
	Tool   []string `help:"Only where this tool was called." placeholder:"NAME"`
	Model  []string `help:"Only where this model was used." placeholder:"NAME"`
	Status []string `help:"Only with this status: running, ok, error, incomplete." placeholder:"STATUS"`
	Sort   string   `help:"Order; see the API." placeholder:"FIELD"`
	Limit  int      `help:"How many at most." default:"50" short:"n"`
}

// Run prints the list.
func (c *sessionsCommand) Run(ctx context.Context, g *global) error {
	q := url.Values{"limit": {strconv.Itoa(c.Limit)}}
	setAll(q, map[string][]string{
		"from": {c.From}, "to": {c.To}, "q": {c.Query}, "sort": {c.Sort},
		"tag": c.Tag, "agent": c.Agent, "tool": c.Tool, "model": c.Model, "status": c.Status,
	})
	var page query.Page[query.Session]
	if done, err := g.fetch(ctx, "v1/sessions", q, &page); done || err != nil {
		return err
	}
	if len(page.Items) == 0 {
		fmt.Fprintln(os.Stderr, "No sessions. Record one: tapedeck record FILE")
		return nil
	}
	t := newTable(os.Stdout, "session", "started", "duration", "status", "runs", "frames", "tokens", "tools", "dialect", "title")
	for i := range page.Items {
		s := &page.Items[i]
		t.row(clip(s.ID, 40), localTime(s.Started), millis(s.DurationMS), s.Status, s.Runs, thousands(s.Frames),
			thousands(s.Tokens.Total), toolCount(s.Tools), joined(s.Dialects), clip(s.Title, 50))
	}
	if err := t.flush(); err != nil {
		return err
	}
	if page.Next != nil {
		fmt.Fprintf(os.Stderr, "There are more: ask for them with --limit, or narrow the list with --from, --query, --status …\n")
	}
	return nil
}

func toolCount(c query.ToolCounts) string {
	if c.Errors == 0 {
		return strconv.FormatUint(c.Calls, 10)
	}
	return fmt.Sprintf("%d (%d failed)", c.Calls, c.Errors)
}

package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/findings"
	"tapedeck/query/sessionhead"
)

// sessionsAtOnce is the server's largest page.
const sessionsAtOnce = 500

// sessionsCommand lists sessions.
type sessionsCommand struct {
	From string `help:"Started at this time or later: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To   string `help:"Started before this time." placeholder:"TIME"`
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
	setAll(q, map[string][]string{"from": {c.From}, "to": {c.To}, "sort": {c.Sort}})
	c.set(q)
	if c.Findings {
		q.Set("findings", "1")
	}
	filtered := slices.ContainsFunc(slices.Collect(maps.Keys(q)), func(name string) bool { return name != "sort" && name != "findings" })
	heads, costs := []string{"session", "started", "duration", "status", "runs", "frames", "tokens"}, c.costs()
	if costs {
		heads = append(heads, "cost")
	}
	heads = append(heads, "tools", "dialect")
	if c.Findings {
		heads = append(heads, "findings")
	}
	t := console.NewTable(os.Stdout, append(heads, "end", "title")...)
	shown, next, err := list(ctx, g, "v1/sessions", q, c.Limit, sessionsAtOnce, func(s *sessionhead.Summary) {
		cells := []any{
			console.Clip(s.ID, 40), console.LocalTime(s.Started), sessionTime(&s.Head), s.Status, s.Runs, console.Thousands(s.Frames),
			tokenCount(s.Spent, s.Tokens.Total),
		}
		if costs {
			cells = append(cells, cost(s.Spent))
		}
		cells = append(cells, toolCount(s.Tools), joined(s.Dialects))
		if c.Findings {
			cells = append(cells, findingCodes(s.Findings))
		}
		t.Row(append(cells, console.Clip(unusualEnd(s.End), 50), console.Clip(s.Title, 50))...)
	})
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
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or narrow the list with --from, --query, --status …\n", 10*c.Limit)
	}
	return nil
}

// findingCodes lists findings by their codes.
func findingCodes(list []findings.Finding) string {
	var codes []string
	for _, f := range list {
		codes = append(codes, fmt.Sprintf("%s %d", f.Code, f.Count))
	}
	return orDash(strings.Join(codes, ", "))
}

// costs reports whether costs are asked for.
func (c *sessionsCommand) costs() bool {
	return c.MinCost != "" || c.MaxCost != "" || strings.TrimPrefix(c.Sort, "-") == "cost"
}

// sessionTime returns how long a session took, or has been running.
func sessionTime(s *sessionhead.Head) string {
	if s.RunningMS != nil {
		return console.Millis(*s.RunningMS)
	}
	return console.Millis(s.DurationMS)
}

// unusualEnd describes the cause of an end, "" if it is an ordinary one or there is none.
func unusualEnd(e *sessionhead.End) string {
	if e == nil || e.Reason == sessionhead.EndEOF || e.Reason == sessionhead.EndClosed || e.Reason == sessionhead.EndDone {
		return ""
	}
	return endText(e)
}

// endText describes the cause of an end and what was open or failed then.
func endText(e *sessionhead.End) string {
	if e.Span != nil && e.Span.Name != "" {
		return e.Detail + ", in " + e.Span.Name
	}
	return e.Detail
}

// toolCalls describes how often tools were called.
func toolCalls(c sessionhead.ToolCounts) string {
	text := console.Count(c.Calls, "tool call")
	if c.Errors > 0 {
		text += fmt.Sprintf(" (%d failed)", c.Errors)
	}
	return text
}

func toolCount(c sessionhead.ToolCounts) string {
	if c.Errors == 0 {
		return strconv.FormatUint(c.Calls, 10)
	}
	return fmt.Sprintf("%d (%d failed)", c.Calls, c.Errors)
}

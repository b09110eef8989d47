package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/sessionhead"
)

// sessionsAtOnce is the server's largest page.
const sessionsAtOnce = 500

// sessionsCommand lists sessions.
type sessionsCommand struct {
	From        string        `help:"Started at this time or later: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To          string        `help:"Started before this time." placeholder:"TIME"`
	Query       string        `help:"Text in the title, the id or a tag." short:"q" placeholder:"TEXT"`
	Tag         []string      `help:"Only with this tag: name, name=value or name:value." placeholder:"K=V" sep:"none"`
	Agent       []string      `help:"Only of this agent." placeholder:"NAME"`
	Tool        []string      `help:"Only where this tool was called." placeholder:"NAME"`
	Model       []string      `help:"Only where this model was used." placeholder:"NAME"`
	Dialect     []string      `help:"Only with a stream of this dialect." placeholder:"NAME"`
	MinDuration time.Duration `help:"Only as long as this or longer, as 1m30s." placeholder:"D"`
	MaxDuration time.Duration `help:"Only as long as this or shorter." placeholder:"D"`
	SilentFor   time.Duration `help:"Only open or lost ones without a frame for as long as this." placeholder:"D"`
	RunningFor  time.Duration `help:"Only open ones that began as long ago as this." placeholder:"D"`
	MinTokens   uint64        `help:"Only with as many tokens or more." placeholder:"N"`
	MaxTokens   *uint64       `help:"Only with as many tokens or fewer." placeholder:"N"`
	Status      []string      `help:"Only with this status: running, quiet, lost, ok, error, cancelled, incomplete." placeholder:"STATUS"`
	Sort        string        `help:"Order: started, last_at, duration or tokens; with a - before it the highest first, as --sort=-duration. Default: -started." placeholder:"FIELD"`
	Limit       int           `help:"How many at most." default:"50" short:"n"`
}

// Run prints the list.
func (c *sessionsCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {c.From}, "to": {c.To}, "q": {c.Query}, "sort": {c.Sort},
		"tag": colonTags(c.Tag), "agent": c.Agent, "tool": c.Tool, "model": c.Model, "dialect": c.Dialect, "status": c.Status,
	})
	c.setAmounts(q)
	filtered := len(q) > 0 && (len(q) > 1 || !q.Has("sort"))
	t := console.NewTable(os.Stdout, "session", "started", "duration", "status", "runs", "frames", "tokens", "tools", "dialect", "end", "title")
	shown, next, err := list(ctx, g, "v1/sessions", q, c.Limit, sessionsAtOnce, func(s *sessionhead.Summary) {
		t.Row(console.Clip(s.ID, 40), console.LocalTime(s.Started), sessionTime(&s.Head), s.Status, s.Runs, console.Thousands(s.Frames),
			tokenCount(s.Spent, s.Tokens.Total), toolCount(s.Tools), joined(s.Dialects), console.Clip(unusualEnd(s.End), 50), console.Clip(s.Title, 50))
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

// check refuses lengths of time below 0.
func (c *sessionsCommand) check() error {
	for _, f := range []struct {
		name string
		d    time.Duration
	}{
		{"--min-duration", c.MinDuration}, {"--max-duration", c.MaxDuration},
		{"--silent-for", c.SilentFor}, {"--running-for", c.RunningFor},
	} {
		if f.d < 0 {
			return usage.Errorf("%s %v: it must be 0s, which is no limit, or more", f.name, f.d)
		}
	}
	return nil
}

// setAmounts sets the parameters of lengths and counts.
func (c *sessionsCommand) setAmounts(q url.Values) {
	for name, d := range map[string]time.Duration{
		"min_duration": c.MinDuration, "max_duration": c.MaxDuration, "silent_for": c.SilentFor, "running_for": c.RunningFor,
	} {
		if d > 0 {
			q.Set(name, d.String())
		}
	}
	if c.MinTokens > 0 {
		q.Set("min_tokens", strconv.FormatUint(c.MinTokens, 10))
	}
	if c.MaxTokens != nil {
		q.Set("max_tokens", strconv.FormatUint(*c.MaxTokens, 10))
	}
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

package printers

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/facts/findings"
	"tapedeck/query/facts/sessionhead"
)

// SessionTable is a list of sessions.
type SessionTable struct {
	table           *console.Table
	costs, findings bool
}

// NewSessionTable begins a list, with the requested columns.
func NewSessionTable(out io.Writer, costs, findings bool) *SessionTable {
	heads := []string{"session", "started", "duration", "status", "runs", "frames", "tokens"}
	if costs {
		heads = append(heads, "cost")
	}
	heads = append(heads, "tools", "dialect")
	if findings {
		heads = append(heads, "findings")
	}
	t := console.NewTable(out, append(heads, "end", "title")...)
	t.Optional("runs", "dialect", "frames", "end", "tools", "tokens", "duration")
	return &SessionTable{t, costs, findings}
}

// Add adds a session.
func (t *SessionTable) Add(s *sessionhead.Summary) {
	cells := []any{
		console.Clip(s.ID, 40), console.LocalTime(s.Started), sessionTime(&s.Head), s.Status, s.Runs, console.Thousands(s.Frames),
		tokenCount(s.UsageTotals, s.Tokens.Total),
	}
	if t.costs {
		cells = append(cells, costText(s.UsageTotals))
	}
	cells = append(cells, toolCount(s.Tools), strings.Join(s.Dialects, ","))
	if t.findings {
		cells = append(cells, findingCodes(s.Findings))
	}
	t.table.Row(append(cells, console.Clip(unusualEnd(s.End), 50), console.Clip(s.Title, 50))...)
}

// Flush writes the list.
func (t *SessionTable) Flush() error { return t.table.Flush() }

// findingCodes lists findings by their codes.
func findingCodes(list []findings.Finding) string {
	var codes []string
	for _, f := range list {
		codes = append(codes, fmt.Sprintf("%s %d", f.Code, f.Count))
	}
	return OrDash(strings.Join(codes, ", "))
}

// sessionTime returns how long a session took, or has been running.
func sessionTime(s *sessionhead.Head) string {
	if s.RunningMS != nil {
		return console.Millis(*s.RunningMS)
	}
	return console.Millis(s.DurationMS)
}

// unusualEnd describes the cause of an end, "" if the end is ordinary or missing.
func unusualEnd(e *sessionhead.End) string {
	if e == nil || e.Reason == sessionhead.EndEOF || e.Reason == sessionhead.EndClosed || e.Reason == sessionhead.EndDone {
		return ""
	}
	return endText(e)
}

// endText describes the cause of an end and what was open or failed at that time.
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

package printers

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/session/openspans"
)

// OpenTable is a list of open sessions, with a row for each open span.
type OpenTable struct{ table *console.Table }

// NewOpenTable begins a list.
func NewOpenTable(out io.Writer) *OpenTable {
	t := console.NewTable(out, "session", "status", "silent", "open", "since", "for", "usual p99", "agent", "what")
	t.Optional("agent", "since", "usual p99")
	return &OpenTable{t}
}

// Add adds a session and its open spans. The session is named in its first row.
func (t *OpenTable) Add(s *openspans.Session) {
	silent := "-"
	if s.SilentMS != nil {
		silent = console.Millis(*s.SilentMS)
	}
	first := []any{console.Clip(s.ID, 40), s.Status, silent}
	row := func(cells ...any) {
		t.table.Row(append(first, cells...)...)
		first = []any{"", "", ""}
	}
	if len(s.Spans) == 0 { // its stream goes on between two runs
		running := "-"
		if s.RunningMS != nil {
			running = console.Millis(*s.RunningMS)
		}
		row("session", console.LocalTime(s.Started), running, "-", OrDash(strings.Join(s.Agents, ",")), console.Clip(s.Title, 60))
		return
	}
	for i := range s.Spans {
		span := &s.Spans[i]
		row(openKind(span), console.LocalTime(span.Started), console.Millis(span.RunningMS), usualText(span.Usual),
			OrDash(span.Agent), console.Clip(openText(s, span), 60))
	}
	if more := s.OpenSpans - uint64(len(s.Spans)); more > 0 {
		row(fmt.Sprintf("%d more", more), "", "", "", "", "")
	}
}

// Flush writes the list.
func (t *OpenTable) Flush() error { return t.table.Flush() }

func openKind(s *openspans.Span) string {
	kind := s.Kind
	if kind == "llm" {
		kind = "model"
	}
	if s.Waiting {
		return kind + ", waits"
	}
	return kind
}

// openText returns what a span does: a tool with its arguments, a model, or the name of a node; of a
// run the title of the session.
func openText(s *openspans.Session, span *openspans.Span) string {
	switch {
	case span.Arguments != nil:
		return span.Name + " " + *span.Arguments
	case span.Kind == "llm" && span.Model != nil:
		return *span.Model
	case span.Kind == "run" && span.Parent == "":
		return cmp.Or(s.Title, span.Name)
	}
	return span.Name
}

// usualText returns the p99 of a tool, and the ratio of a call that exceeds it.
func usualText(u *openspans.Usual) string {
	if u == nil {
		return "-"
	}
	text := console.Millis(u.P99MS)
	if u.Ratio != nil && *u.Ratio >= 1 {
		text += fmt.Sprintf(" (×%.1f)", *u.Ratio)
	}
	return text
}

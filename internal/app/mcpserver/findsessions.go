package mcpserver

import (
	"context"
	"fmt"
	"net/url"

	"tapedeck/query/facts/sessionhead"
)

const findSessionsText = "Find recorded sessions, newest first: id, title, status, how each ended and in which span. Use it first, to get the id of a session. Of several values of one filter any fits."

type findSessionsArguments struct {
	Query  string   `json:"query,omitempty" jsonschema:"Text in the title, the id or the value of a tag."`
	Status []string `json:"status,omitempty" jsonschema:"Any of running, quiet (open and silent), lost (its recorder is gone), ok, error, cancelled, incomplete (cut off)."`
	Agent  []string `json:"agent,omitempty" jsonschema:"Only with one of these agents."`
	Tool   []string `json:"tool,omitempty" jsonschema:"Only where one of these tools was called."`
	Model  []string `json:"model,omitempty" jsonschema:"Only where one of these models was used."`
	Tag    []string `json:"tag,omitempty" jsonschema:"Tags as name:value, or name for any value. All must fit."`
	From   string   `json:"from,omitempty" jsonschema:"Started at this time or later: RFC 3339, a date, or now-7d."`
	To     string   `json:"to,omitempty" jsonschema:"Started before this time."`
	Sort   string   `json:"sort,omitempty" jsonschema:"started, last_at, duration, tokens or cost; with - before it the highest first. Default: -started."`
	Limit  int      `json:"limit,omitempty" jsonschema:"Sessions at most, up to 50. Default: 20."`
	Cursor string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the sessions after it."`
}

// sessionLine is a session in a list.
type sessionLine struct {
	ID         string                 `json:"session"`
	Title      string                 `json:"title"`
	Status     sessionhead.Status     `json:"status"`
	Started    string                 `json:"started"`
	DurationMS float64                `json:"duration_ms"`
	SilentMS   *float64               `json:"silent_ms,omitempty"`
	Runs       uint64                 `json:"runs"`
	Tools      sessionhead.ToolCounts `json:"tools"`
	Tokens     int64                  `json:"tokens,omitempty"`
	Agents     []string               `json:"agents,omitempty"`
	Models     []string               `json:"models,omitempty"`
	End        *endLine               `json:"end,omitempty"`
	OpenSpan   *spanRef               `json:"open_span,omitempty"`
}

// endLine is how a session ended.
type endLine struct {
	Reason sessionhead.EndReason `json:"reason"`
	Detail string                `json:"detail"`
	AtMS   float64               `json:"at_ms"`
	Span   *spanRef              `json:"span,omitempty"`
}

// spanRef names a span.
type spanRef struct {
	ID   string `json:"span"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func newSpanRef(s *sessionhead.SpanRef) *spanRef {
	if s == nil {
		return nil
	}
	return &spanRef{short(s.ID, idSize), s.Kind, short(s.Name, nameSize)}
}

func newEndLine(e *sessionhead.End) *endLine {
	if e == nil {
		return nil
	}
	return &endLine{e.Reason, short(e.Detail, excerptSize), e.OffsetMS, newSpanRef(e.Span)}
}

func findSessions(ctx context.Context, c *call, in findSessionsArguments) (*answer, error) {
	at, err := c.after(in.Cursor)
	if err != nil {
		return nil, err
	}
	q := url.Values{"status": in.Status, "agent": in.Agent, "tool": in.Tool, "model": in.Model, "tag": in.Tag}
	set(q, map[string]string{"q": in.Query, "from": in.From, "to": in.To, "sort": in.Sort})
	a := &answer{list: "sessions"}
	p, err := readPage(ctx, c, a, "v1/sessions", q, within(in.Limit, 20, 50), at, "sessions", lineOf)
	if err != nil {
		return nil, err
	}
	a.outline = fmt.Sprintf("%d sessions.", len(p.Items))
	if p.Next != nil {
		a.outline = fmt.Sprintf("%d sessions, and there are more.", len(p.Items))
	}
	if len(p.Items) == 0 {
		a.outline = "No session fits. Leave out a filter, or search_text for words in the conversations."
	}
	return a, nil
}

func lineOf(s *sessionhead.Summary) any {
	return sessionLine{ID: short(s.ID, idSize), Title: short(s.Title, excerptSize), Status: s.Status,
		Started: s.Started.Format(timeForm), DurationMS: s.DurationMS, SilentMS: s.SilentMS, Runs: s.Runs, Tools: s.Tools,
		Tokens: s.Tokens.Total, Agents: shortList(s.Agents, 3), Models: shortList(s.Models, 3),
		End: newEndLine(s.End), OpenSpan: newSpanRef(s.OpenSpan)}
}

// timeForm is RFC 3339 with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z07:00"

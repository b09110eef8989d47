package mcpserver

import (
	"context"
	"fmt"
	"net/url"

	"tapedeck/query/session/openspans"
)

const openCallsText = "What runs right now and since when: open sessions with their silence, and their open tool calls, model calls, sub-agents and waits for a person. A tool call has its time as a multiple of the p99 of its tool's earlier calls."

type openCallsArguments struct {
	Query      string   `json:"query,omitempty" jsonschema:"Text in the title, the id or the value of a tag."`
	Agent      []string `json:"agent,omitempty" jsonschema:"Only with one of these agents."`
	Tool       []string `json:"tool,omitempty" jsonschema:"Only sessions where one of these tools was called."`
	Tag        []string `json:"tag,omitempty" jsonschema:"Tags as name:value, or name for any value. All must fit."`
	SilentFor  string   `json:"silent_for,omitempty" jsonschema:"Only sessions without a frame for as long as this, such as 1m."`
	RunningFor string   `json:"running_for,omitempty" jsonschema:"Only sessions that began as long ago as this, such as 1h."`
	Limit      int      `json:"limit,omitempty" jsonschema:"Sessions at most, up to 50. Default: 20."`
	Cursor     string   `json:"cursor,omitempty" jsonschema:"From the answer before, for the sessions after it."`
}

// openSpanLine is an open span.
type openSpanLine struct {
	ID         string   `json:"span"`
	Kind       string   `json:"kind"`
	Name       string   `json:"name,omitempty"`
	Model      string   `json:"model,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Waiting    bool     `json:"waiting,omitempty"` // for an approval, a person or a client
	Started    string   `json:"started"`
	RunningMS  float64  `json:"running_ms"`
	Arguments  string   `json:"arguments,omitempty"`
	UsualP99MS *float64 `json:"usual_p99_ms,omitempty"`
	Ratio      *float64 `json:"ratio_to_usual,omitempty"`
}

// openSpansShown is how many open spans of a session an answer has.
const openSpansShown = 10

func openCalls(ctx context.Context, c *call, in openCallsArguments) (*answer, error) {
	at, err := c.after(in.Cursor)
	if err != nil {
		return nil, err
	}
	q := url.Values{"agent": in.Agent, "tool": in.Tool, "tag": in.Tag}
	set(q, map[string]string{"q": in.Query, "silent_for": in.SilentFor, "running_for": in.RunningFor})
	a := &answer{list: "sessions"}
	p, err := readPage(ctx, c, a, "v1/open", q, within(in.Limit, 20, 50), at, "sessions", openLine)
	if err != nil {
		return nil, err
	}
	a.outline = fmt.Sprintf("%d sessions run, the earliest start first.", len(p.Items))
	if p.Next != nil {
		a.outline = fmt.Sprintf("%d sessions that run, the earliest start first, and there are more.", len(p.Items))
	}
	if len(p.Items) == 0 {
		a.outline = "Nothing runs that fits. find_sessions has the sessions that are over."
	}
	return a, nil
}

func openLine(s *openspans.Session) any {
	line := struct {
		ID        string         `json:"session"`
		Title     string         `json:"title"`
		Status    string         `json:"status"`
		Started   string         `json:"started"`
		SilentMS  *float64       `json:"silent_ms"`
		Agents    []string       `json:"agents,omitempty"`
		OpenSpans uint64         `json:"open_spans"`
		Spans     []openSpanLine `json:"spans"` // the last to begin, in order of start
	}{short(s.ID, idSize), short(s.Title, nameSize), string(s.Status), s.Started.Format(timeForm), s.SilentMS, shortList(s.Agents, 3),
		s.OpenSpans, []openSpanLine{}}
	for i := max(len(s.Spans)-openSpansShown, 0); i < len(s.Spans); i++ {
		line.Spans = append(line.Spans, newOpenSpanLine(&s.Spans[i]))
	}
	return line
}

func newOpenSpanLine(s *openspans.Span) openSpanLine {
	line := openSpanLine{ID: short(s.ID, idSize/3), Kind: s.Kind, Name: short(s.Name, nameSize), Agent: short(s.Agent, nameSize/2), Waiting: s.Waiting,
		Started: s.Started.Format(timeForm), RunningMS: s.RunningMS}
	if s.Model != nil {
		line.Model = short(*s.Model, nameSize/2)
	}
	if s.Arguments != nil {
		line.Arguments = short(*s.Arguments, excerptSize)
	}
	if s.Usual != nil {
		line.UsualP99MS, line.Ratio = &s.Usual.P99MS, s.Usual.Ratio
	}
	return line
}

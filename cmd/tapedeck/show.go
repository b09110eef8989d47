package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"tapedeck/query"
)

// showCommand shows one session.
type showCommand struct {
	Session string `arg:"" help:"The session's id."`
	Text    bool   `help:"Print the whole transcript."`
}

// Run prints what is known of the session: its runs with their spans and
// tokens, its messages, and what does not add up.
func (c *showCommand) Run(ctx context.Context, g *global) error {
	path, err := pathOf(c.Session)
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	var (
		detail   query.SessionDetail
		timeline query.Timeline
	)
	if err := cl.get(ctx, path, nil, &detail); err != nil {
		return err
	}
	if err := cl.get(ctx, sessionPath(c.Session, "timeline"), nil, &timeline); err != nil {
		return err
	}
	messages, err := transcript(ctx, cl, c.Session)
	if err != nil {
		return err
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"session": &detail, "timeline": &timeline, "transcript": messages,
		})
	}
	w := screen{os.Stdout}
	showHead(w, &detail)
	showSpans(w, &timeline)
	if err := showTokens(w, detail.Spent); err != nil {
		return err
	}
	showMessages(w, messages, c.Text)
	showTrouble(w, &detail)
	return nil
}

// transcript reads all messages of a session.
func transcript(ctx context.Context, cl *apiClient, session string) ([]query.Message, error) {
	all := []query.Message{}
	q := url.Values{}
	for {
		var page query.Page[query.Message]
		if err := cl.get(ctx, sessionPath(session, "transcript"), q, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == nil {
			return all, nil
		}
		q.Set("cursor", *page.Next)
	}
}

func showHead(w io.Writer, d *query.SessionDetail) {
	fmt.Fprintf(w, "%s  %s\n", line(d.ID), d.Status)
	if d.Title != "" {
		fmt.Fprintf(w, "  %s\n", line(d.Title))
	}
	if text := sessionClock(d); text != "" {
		fmt.Fprintf(w, "  %s\n", line(text))
	}
	fmt.Fprintf(w, "  %s, %s long, %s, %s, %s, %s\n", localTime(d.Started), millis(d.DurationMS),
		count(d.Frames, "frame"), count(d.Bytes, "byte"), count(d.Totals.Runs, "run"), toolCalls(d.Totals.Tools))
	for _, name := range slices.Sorted(maps.Keys(d.Tags)) {
		fmt.Fprintf(w, "  tag %s\n", line(name+"="+d.Tags[name]))
	}
	for _, s := range d.Streams {
		state := or(s.EndReason, "running")
		if s.IsLost {
			state = "lost"
		}
		fmt.Fprintf(w, "  stream %s  %s over %s from %s, %s\n", s.ID, s.Dialect, s.Transport, line(or(s.Source, "?")), line(state))
		fmt.Fprintf(w, "    dialect %s: %s\n", s.Dialect, line(s.Evidence))
	}
}

// sessionClock describes how long an open session has been running and silent, or when
// and why another one ended.
func sessionClock(d *query.SessionDetail) string {
	switch {
	case d.RunningMS != nil && d.SilentMS != nil:
		return fmt.Sprintf("running for %s, silent for %s", millis(*d.RunningMS), millis(*d.SilentMS))
	case d.End == nil:
		return ""
	}
	text := fmt.Sprintf("ended at %s: %s", millis(d.End.OffsetMS), d.End.Detail)
	if d.Status == query.Lost {
		text = fmt.Sprintf("lost at %s: %s", millis(d.End.OffsetMS), d.End.Detail)
		if d.SilentMS != nil {
			text += ", silent for " + millis(*d.SilentMS)
		}
	}
	if d.End.Span != nil && d.End.Span.Name != "" {
		text += ", in " + d.End.Span.Name
	}
	return text
}

// showSpans prints the tree: what ran when, for how long, and how it ended.
func showSpans(w io.Writer, t *query.Timeline) {
	if len(t.Spans) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat ran")
	var walk func(spans []*query.TimelineSpan, depth int)
	walk = func(spans []*query.TimelineSpan, depth int) {
		for _, s := range spans {
			what := strings.TrimSpace(s.Kind + " " + clip(s.Name, 60))
			fmt.Fprintf(w, "  %9s  %9s  %s%s%s\n", "+"+millis(s.StartMS), spanTime(s), strings.Repeat("  ", depth), what, spanNotes(s))
			walk(s.Children, depth+1)
		}
	}
	walk(t.Spans, 0)
}

func spanTime(s *query.TimelineSpan) string {
	switch {
	case s.ReportedMS != nil:
		return millis(*s.ReportedMS)
	case s.DurationMS != nil:
		return millis(*s.DurationMS)
	case !s.Open:
		return "–" // it ended, and when it began was not seen
	}
	if s.RunningMS != nil {
		return millis(*s.RunningMS) + "…"
	}
	return "open"
}

func spanNotes(s *query.TimelineSpan) string {
	var notes []string
	if s.Status != "ok" {
		notes = append(notes, s.Status)
	}
	if s.Model != nil {
		notes = append(notes, line(*s.Model))
	}
	if s.FirstTokenMS != nil && s.Kind == "llm" {
		notes = append(notes, "first token after "+millis(*s.FirstTokenMS))
	}
	if s.Tokens != nil {
		notes = append(notes, count(s.Tokens.Total, "token"))
	}
	if s.Error != nil {
		notes = append(notes, clip(*s.Error, 100))
	}
	if len(notes) == 0 {
		return ""
	}
	return "  (" + strings.Join(notes, ", ") + ")"
}

func showTokens(w io.Writer, s query.Spent) error {
	if s.Calls == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nTokens")
	n := s.Tokens
	t := newTable(w, "  calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost")
	t.row(fmt.Sprintf("  %d", s.Calls), thousands(n.Input), thousands(n.CacheRead), thousands(n.CacheWrite5m+n.CacheWrite1h),
		thousands(n.Output), thousands(n.Reasoning), thousands(n.Total), cost(s))
	return t.flush()
}

// cost prints money, and says what has no price.
func cost(s query.Spent) string {
	switch {
	case s.Cost == nil:
		return "unpriced"
	case s.UnpricedCalls > 0:
		return fmt.Sprintf("$%.4f (%s unpriced)", *s.Cost, count(s.UnpricedCalls, "call"))
	}
	return fmt.Sprintf("$%.4f", *s.Cost)
}

// shownText is how much of a message is printed without --text, runes.
const shownText = 200

func showMessages(w io.Writer, messages []query.Message, whole bool) {
	if len(messages) == 0 {
		return
	}
	fmt.Fprintln(w, "\nMessages")
	for i := range messages {
		m := &messages[i]
		who := m.Kind
		if m.Name != "" {
			who += " " + line(m.Name)
		}
		text := clip(m.Text, shownText)
		if whole {
			text = strings.ReplaceAll(m.Text, "\n", "\n    ")
		}
		fmt.Fprintf(w, "  %9s  %s: %s\n", "+"+millis(m.StartMS), who, text)
	}
}

func showTrouble(w io.Writer, d *query.SessionDetail) {
	if len(d.Discrepancies) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat does not add up")
	for _, t := range d.Discrepancies {
		fmt.Fprintf(w, "  %s: %s\n", t.Code, line(t.Detail))
	}
}

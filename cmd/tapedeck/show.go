package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/query"
	costs "tapedeck/query/cost"
	"tapedeck/query/sessiondetail"
	"tapedeck/query/sessionhead"
	"tapedeck/query/timeline"
	"tapedeck/query/transcript"
)

// showCommand shows one session.
type showCommand struct {
	Session string `arg:"" help:"The session's id."`
	Text    bool   `help:"Print the whole transcript."`
}

// Run prints the session: its runs with their spans and
// tokens, its messages, and inconsistencies.
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
		detail   sessiondetail.Detail
		timeline timeline.Timeline
	)
	if err := cl.Get(ctx, path, nil, &detail); err != nil {
		return err
	}
	if err := cl.Get(ctx, apiclient.SessionPath(c.Session, "timeline"), nil, &timeline); err != nil {
		return err
	}
	messages, err := readTranscript(ctx, cl, c.Session)
	if err != nil {
		return err
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"session": &detail, "timeline": &timeline, "transcript": messages,
		})
	}
	w := console.To(os.Stdout)
	showHead(w, &detail)
	showSpans(w, &timeline)
	if err := showTokens(w, detail.Spent); err != nil {
		return err
	}
	showMessages(w, messages, c.Text)
	showTrouble(w, &detail)
	return nil
}

// readTranscript reads all messages of a session.
func readTranscript(ctx context.Context, cl *apiclient.Client, session string) ([]transcript.Message, error) {
	all := []transcript.Message{}
	q := url.Values{}
	for {
		var page query.Page[transcript.Message]
		if err := cl.Get(ctx, apiclient.SessionPath(session, "transcript"), q, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == nil {
			return all, nil
		}
		q.Set("cursor", *page.Next)
	}
}

func showHead(w io.Writer, d *sessiondetail.Detail) {
	fmt.Fprintf(w, "%s  %s\n", console.Line(d.ID), d.Status)
	if d.Title != "" {
		fmt.Fprintf(w, "  %s\n", console.Line(d.Title))
	}
	if text := sessionClock(d); text != "" {
		fmt.Fprintf(w, "  %s\n", console.Line(text))
	}
	fmt.Fprintf(w, "  %s, %s long, %s, %s, %s, %s\n", console.LocalTime(d.Started), console.Millis(d.DurationMS),
		console.Count(d.Frames, "frame"), console.Count(d.Bytes, "byte"), console.Count(d.Totals.Runs, "run"), toolCalls(d.Totals.Tools))
	if d.Totals.Runs > 0 && !d.Spent.Reported() {
		fmt.Fprintln(w, "  tokens –: no usage was reported")
	}
	if n := unreadable(d); n > 0 {
		fmt.Fprintf(w, "  %s not JSON, and nothing is concluded from %s\n", areFrames(n), map[bool]string{true: "it", false: "them"}[n == 1])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Tags)) {
		fmt.Fprintf(w, "  tag %s\n", console.Line(name+"="+d.Tags[name]))
	}
	for _, s := range d.Streams {
		state := cmp.Or(s.EndReason, "running")
		if s.IsLost {
			state = "lost"
		}
		fmt.Fprintf(w, "  stream %s  %s over %s from %s, %s\n", s.ID, s.Dialect, s.Transport, console.Line(cmp.Or(s.Source, "?")), console.Line(state))
		fmt.Fprintf(w, "    dialect %s: %s\n", s.Dialect, console.Line(s.Evidence))
	}
}

// unreadable returns how many frames are not JSON, of a session in which no run was found.
func unreadable(d *sessiondetail.Detail) (n uint64) {
	if d.Totals.Runs > 0 {
		return 0
	}
	for i := range d.Streams {
		n += d.Streams[i].Counters.NotJSON
	}
	return n
}

// sessionClock describes how long an open session has been running and silent, or when
// and why another one ended.
func sessionClock(d *sessiondetail.Detail) string {
	switch {
	case d.RunningMS != nil && d.SilentMS != nil:
		return fmt.Sprintf("running for %s, silent for %s", console.Millis(*d.RunningMS), console.Millis(*d.SilentMS))
	case d.End == nil:
		return ""
	}
	text := fmt.Sprintf("ended at %s: %s", console.Millis(d.End.OffsetMS), d.End.Detail)
	if d.Status == sessionhead.Lost {
		text = fmt.Sprintf("lost at %s: %s", console.Millis(d.End.OffsetMS), d.End.Detail)
		if d.SilentMS != nil {
			text += ", silent for " + console.Millis(*d.SilentMS)
		}
	}
	if d.End.Span != nil && d.End.Span.Name != "" {
		text += ", in " + console.Clip(d.End.Span.Name, shownName)
	}
	return text
}

// showSpans prints the tree of spans with start, duration and outcome.
func showSpans(w io.Writer, t *timeline.Timeline) {
	if len(t.Spans) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat ran")
	var walk func(spans []*timeline.Span, depth int)
	walk = func(spans []*timeline.Span, depth int) {
		for _, s := range spans {
			what := strings.TrimSpace(s.Kind + " " + console.Clip(s.Name, shownName))
			fmt.Fprintf(w, "  %9s  %9s  %s%s%s\n", "+"+console.Millis(s.StartMS), spanTime(s), strings.Repeat("  ", depth), what, spanNotes(s))
			walk(s.Children, depth+1)
		}
	}
	walk(t.Spans, 0)
}

func spanTime(s *timeline.Span) string {
	switch {
	case s.ReportedMS != nil:
		return console.Millis(*s.ReportedMS)
	case s.DurationMS != nil:
		return console.Millis(*s.DurationMS)
	case !s.Open:
		return "–" // it ended, and its start is unknown
	}
	if s.RunningMS != nil {
		return console.Millis(*s.RunningMS) + "…"
	}
	if s.OpenMS != nil {
		return console.Millis(*s.OpenMS)
	}
	return "open"
}

func spanNotes(s *timeline.Span) string {
	var notes []string
	if s.Status != "ok" {
		notes = append(notes, s.Status)
	}
	if s.Model != nil && *s.Model != s.Name {
		notes = append(notes, console.Clip(*s.Model, shownName))
	}
	if s.FirstTokenMS != nil && s.Kind == "llm" {
		notes = append(notes, "first token after "+console.Millis(*s.FirstTokenMS))
	}
	if s.Tokens != nil {
		notes = append(notes, console.Count(s.Tokens.Total, "token"))
	}
	if s.Error != nil {
		notes = append(notes, console.Clip(*s.Error, 100))
	}
	if len(notes) == 0 {
		return ""
	}
	return "  (" + strings.Join(notes, ", ") + ")"
}

func showTokens(w io.Writer, s query.Spent) error {
	if !s.Reported() {
		return nil
	}
	fmt.Fprintln(w, "\nTokens")
	n := s.Tokens
	t := console.NewTable(w, "  calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost")
	t.Row(fmt.Sprintf("  %d", s.Calls), console.Thousands(n.Input), console.Thousands(n.CacheRead), console.Thousands(n.CacheWrite5m+n.CacheWrite1h),
		console.Thousands(n.Output), console.Thousands(n.Reasoning), console.Thousands(n.Total), cost(s))
	return t.Flush()
}

// unknown stands for a figure that was not reported or not measured.
const unknown = "–"

// tokenCount formats a number of tokens of what was used.
func tokenCount(s query.Spent, n int64) string {
	if !s.Reported() {
		return unknown
	}
	return console.Thousands(n)
}

// cost formats a cost, and says how many calls it does not include.
func cost(s query.Spent) string {
	switch {
	case !s.Reported():
		return unknown
	case s.Cost == nil:
		return "unpriced"
	case s.UnpricedCalls > 0:
		return fmt.Sprintf("%s (%s unpriced)", money(s.Cost), console.Count(s.UnpricedCalls, "call"))
	}
	return money(s.Cost)
}

// money formats an amount with four decimals, rounded half to even.
func money(m *costs.Money) string {
	amount := m.Amount.RoundBank(4).StringFixed(4)
	if m.Currency == "USD" {
		return "$" + amount
	}
	return amount + " " + m.Currency
}

const (
	shownText = 200 // the length of a message printed without --text, runes
	shownName = 60  // the length of a name of a tool or a model, runes
)

func showMessages(w io.Writer, messages []transcript.Message, whole bool) {
	if len(messages) == 0 {
		return
	}
	fmt.Fprintln(w, "\nMessages")
	for i := range messages {
		m := &messages[i]
		who := m.Kind
		if m.Name != "" {
			who += " " + console.Clip(m.Name, shownName)
		}
		text := console.Clip(m.Text, shownText)
		if whole {
			text = strings.ReplaceAll(m.Text, "\n", "\n    ")
		}
		fmt.Fprintf(w, "  %9s  %s: %s\n", "+"+console.Millis(m.StartMS), who, text)
	}
}

func showTrouble(w io.Writer, d *sessiondetail.Detail) {
	if len(d.Discrepancies) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat does not add up")
	for _, t := range d.Discrepancies {
		fmt.Fprintf(w, "  %s: %s\n", t.Code, console.Line(t.Detail))
	}
}

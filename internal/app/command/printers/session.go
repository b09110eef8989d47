package printers

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// Session writes a session: its runs with their spans and tokens, its messages, and
// inconsistencies. It shortens messages unless whole is set.
func Session(out io.Writer, d *sessiondetail.Detail, t *timeline.Timeline, messages []transcript.Message, whole bool) error {
	w := console.To(out)
	showHead(w, d)
	showSpans(w, t, console.TerminalWidth(out))
	if err := showTokens(w, d.UsageTotals); err != nil {
		return err
	}
	if err := showLimits(w, d.Limits, time.Now()); err != nil {
		return err
	}
	showMessages(w, messages, whole)
	if lacksFacts(d, t, messages) {
		fmt.Fprintf(w, "note: nothing was concluded from the frames, as of a tape that was cut off; \"tapedeck redecode %s\" derives it\n",
			console.SessionWord(d.ID))
	}
	if n := duplicates(t.Usage, t.Spans); n > 0 {
		fmt.Fprintf(w, "note: the tokens leave out %s of spans that a recorded stream states too; reports count the stream's\n",
			console.Count(n, "call"))
	}
	showTrouble(w, d)
	return nil
}

// duplicates counts the usage records that sums leave out.
func duplicates(usage []usagerecord.Record, spans []*timeline.Span) (n uint64) {
	for i := range usage {
		if usage[i].Duplicate {
			n++
		}
	}
	for _, s := range spans {
		n += duplicates(s.Usage, s.Children)
	}
	return n
}

// lacksFacts reports whether an ended session has frames of a known dialect and no facts. The facts
// of a tape are at its end.
func lacksFacts(d *sessiondetail.Detail, t *timeline.Timeline, messages []transcript.Message) bool {
	known := false
	for i := range d.Streams {
		known = known || d.Streams[i].Dialect != "generic"
	}
	return known && d.Frames > 0 && len(t.Spans) == 0 && len(t.Usage) == 0 && len(messages) == 0 && len(d.Limits) == 0 &&
		d.RunningMS == nil && d.FramesExpired == nil && unreadable(d) == 0
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
		console.Count(d.Frames, "frame"), console.Count(d.Bytes, "byte"), console.Count(d.Totals.Runs,
			"run"), toolCalls(d.Totals.Tools))
	if d.Totals.Runs > 0 && !d.UsageTotals.Reported() {
		fmt.Fprintln(w, "  tokens –: no usage was reported")
	}
	if n := unreadable(d); n > 0 {
		fmt.Fprintf(w, "  %s not JSON, and nothing is concluded from %s\n", AreFrames(n),
			map[bool]string{true: "it", false: "them"}[n == 1])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Tags)) {
		fmt.Fprintf(w, "  tag %s\n", console.Line(name+"="+d.Tags[name]))
	}
	for _, s := range d.Streams {
		state := cmp.Or(s.EndReason, "running")
		if s.IsLost {
			state = "lost"
		}
		fmt.Fprintf(w, "  stream %s  %s over %s from %s, %s\n", s.ID, s.Dialect, s.Transport,
			console.Line(cmp.Or(s.Source, "?")), console.Line(state))
		fmt.Fprintf(w, "    dialect %s: %s\n", s.Dialect, console.Line(s.Evidence))
	}
}

// unreadable returns how many frames are not JSON, for a session in which no run was found.
func unreadable(d *sessiondetail.Detail) (n uint64) {
	if d.Totals.Runs > 0 {
		return 0
	}
	for i := range d.Streams {
		n += d.Streams[i].Counters.NotJSON
	}
	return n
}

// sessionClock describes how long an open session has been running and silent, or when and why an
// ended one ended.
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

// showSpans prints the tree of spans with start, duration and outcome, in lines of a width; 0 is no limit.
func showSpans(w io.Writer, t *timeline.Timeline, width int) {
	if len(t.Spans) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat ran")
	var walk func(spans []*timeline.Span, depth int)
	walk = func(spans []*timeline.Span, depth int) {
		for _, s := range spans {
			what := strings.TrimSpace(s.Kind + " " + console.Clip(s.Name, shownName))
			line := fmt.Sprintf("  %9s  %9s  %s%s%s", "+"+console.Millis(s.StartMS), spanTime(s),
				strings.Repeat("  ", depth), what, spanNotes(s))
			fmt.Fprintln(w, console.CutLine(line, width))
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
		return "–" // the span ended, and its start is unknown
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

func showTokens(w io.Writer, s cost.UsageTotals) error {
	if !s.Reported() {
		return nil
	}
	fmt.Fprintln(w, "\nTokens")
	n := s.Tokens
	t := console.NewTable(w, "  calls", "input", "cache read", "cache write", "output", "reasoning", "total", "cost")
	t.Row(fmt.Sprintf("  %d", s.Calls), console.Thousands(n.Input), console.Thousands(n.CacheRead),
		console.Thousands(n.CacheWrite5m+n.CacheWrite1h),
		console.Thousands(n.Output), console.Thousands(n.Reasoning), console.Thousands(n.Total), costText(s))
	return t.Flush()
}

const (
	shownText = 200 // maximum length of a message without --text, runes
	shownName = 60  // maximum length of a name of a tool or a model, runes
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
		text := console.Clip(console.WithoutBase64(m.Text), shownText)
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

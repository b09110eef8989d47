package printers

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tapedeck/internal/app/command/alerttest"
	"tapedeck/internal/console"
	"tapedeck/query/alerts/evaluate"
)

// AlertTest writes the alerts of a trial, a line each, and to notes what is not in the list.
func AlertTest(out, notes io.Writer, r *alerttest.Result) error {
	if r.Refused > 0 {
		fmt.Fprintf(console.To(notes), "note     %s beyond max_per_hour of their rule\n", console.Count(int64(r.Refused), "alert"))
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(console.To(notes), "note     %s not tried: budgets per tag or tenant add up all sessions, which a server with --alert-rules does: %s\n",
			console.Count(int64(len(r.Skipped)), "rule"), strings.Join(r.Skipped, ", "))
	}
	if len(r.Alerts) == 0 {
		_, err := fmt.Fprintln(console.To(out), "No alert.")
		return err
	}
	t := console.NewTable(out, "began", "for", "rule", "span", "what")
	t.Optional("span")
	for _, a := range r.Alerts {
		t.Row(console.LocalTime(a.Began), alertLength(a), a.Rule, OrDash(alertSpan(a)), console.Clip(a.Detail, 120))
	}
	return t.Flush()
}

// AlertTable is a list of alerts.
type AlertTable struct{ table *console.Table }

// NewAlertTable begins a list.
func NewAlertTable(out io.Writer) *AlertTable {
	t := console.NewTable(out, "began", "for", "rule", "session", "span", "what")
	t.Optional("span")
	return &AlertTable{t}
}

// Add adds an alert.
func (t *AlertTable) Add(a *evaluate.Alert) {
	t.table.Row(console.LocalTime(a.Began), alertLength(a), a.Rule, console.Clip(a.Session, 40), OrDash(alertSpan(a)), console.Clip(a.Detail, 120))
}

// Flush writes the list.
func (t *AlertTable) Flush() error { return t.table.Flush() }

// AlertLine writes the begin of an alert, or its end, as a line.
func AlertLine(out io.Writer, a *evaluate.Alert) error {
	at, what := a.Began, "began"
	if a.Ended != nil {
		at, what = *a.Ended, "ended"
	}
	line := []string{console.LocalTime(at), what, console.Line(a.Rule), console.Clip(a.Session, 40)}
	if span := alertSpan(a); span != "" {
		line = append(line, span)
	}
	detail := console.Clip(a.Detail, 120)
	if a.Ended != nil {
		detail = "after " + alertLength(a)
	}
	_, err := fmt.Fprintln(console.To(out), strings.Join(append(line, detail), "  "))
	return err
}

// alertLength returns how long an alert lasted; a dash while it holds.
func alertLength(a *evaluate.Alert) string {
	if a.Ended == nil {
		return "-"
	}
	return console.Millis(float64(a.Ended.Sub(a.Began)) / float64(time.Millisecond))
}

func alertSpan(a *evaluate.Alert) string {
	if a.SpanName == nil {
		return ""
	}
	return console.Clip(*a.SpanName, 30)
}

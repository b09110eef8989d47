package printers

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/report/limitreport"
)

// Limits writes a report of limits of accounts. now tells which windows were reset since they were
// stated.
func Limits(out io.Writer, r *limitreport.Report, now time.Time) error {
	heads := []string{"dialect"}
	if r.Tag != "" {
		heads = append(heads, r.Tag)
	}
	t := console.NewTable(out, append(heads, "plan", "limit", "window", "used", "state", "resets", "stated", "session")...)
	t.Optional("session", "window", "plan")
	for i := range r.Items {
		item := &r.Items[i]
		cells := []any{item.Dialect}
		if r.Tag != "" {
			account := "(none)"
			if item.Account != nil {
				account = console.Clip(*item.Account, 40)
			}
			cells = append(cells, account)
		}
		l := &item.Limit
		t.Row(append(cells, OrDash(console.Clip(l.Plan, 20)), console.Clip(l.Name, 40), OrDash(limitWindow(l)), OrDash(limitUsed(l)),
			OrDash(console.Clip(l.Status, 30)), OrDash(limitReset(l, now)), console.LocalTime(l.StatedAt), console.Clip(item.SessionID, 40))...)
	}
	if err := t.Flush(); err != nil || !r.Truncated {
		return err
	}
	_, err := fmt.Fprintf(out, "There are more than %d limits: choose a smaller range with --from and --to.\n", limitreport.Most)
	return err
}

// showLimits writes the limits of a session's account.
func showLimits(w io.Writer, limits []accountlimits.Limit, now time.Time) error {
	if len(limits) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nLimits of the account, as last stated")
	t := console.NewTable(w, "  limit", "plan", "window", "used", "state", "resets", "stated")
	for i := range limits {
		l := &limits[i]
		t.Row("  "+console.Clip(l.Name, 40), OrDash(console.Clip(l.Plan, 20)), OrDash(limitWindow(l)), OrDash(limitUsed(l)),
			OrDash(console.Clip(l.Status, 30)), OrDash(limitReset(l, now)), console.LocalTime(l.StatedAt))
	}
	return t.Flush()
}

// limitWindow formats the length of a window in its largest whole unit: 5h, 7d, 299m.
func limitWindow(l *accountlimits.Limit) string {
	if l.WindowSeconds == nil {
		return ""
	}
	switch s := *l.WindowSeconds; {
	case s%86400 == 0:
		return strconv.FormatInt(s/86400, 10) + "d"
	case s%3600 == 0:
		return strconv.FormatInt(s/3600, 10) + "h"
	case s%60 == 0:
		return strconv.FormatInt(s/60, 10) + "m"
	default:
		return strconv.FormatInt(s, 10) + "s"
	}
}

// limitUsed formats how much of a limit is used, or what is left of credits.
func limitUsed(l *accountlimits.Limit) string {
	var parts []string
	if l.UsedPercent != nil {
		parts = append(parts, fmt.Sprintf("%.0f%%", math.Round(*l.UsedPercent)))
	}
	switch {
	case l.Used != nil && l.Max != nil:
		parts = append(parts, limitAmount(*l.Used)+" of "+limitAmount(*l.Max))
	case l.Used != nil:
		parts = append(parts, limitAmount(*l.Used))
	case l.Max != nil:
		parts = append(parts, "of "+limitAmount(*l.Max))
	}
	if l.Balance != nil {
		parts = append(parts, console.Clip(*l.Balance, 40)+" left")
	}
	if l.Unlimited {
		parts = append(parts, "unlimited")
	}
	return strings.Join(parts, ", ")
}

func limitAmount(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// limitReset formats when a limit is reset; of a time that has passed, that it was.
func limitReset(l *accountlimits.Limit, now time.Time) string {
	switch {
	case l.ResetsAt == nil:
		return ""
	case l.Over(now):
		return "was reset " + console.LocalTime(*l.ResetsAt)
	}
	return console.LocalTime(*l.ResetsAt)
}

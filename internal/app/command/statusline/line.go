package statusline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/console"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/pricing/cost"
)

// Recorded is what a server has recorded.
type Recorded struct {
	Session *cost.UsageTotals `json:"session"` // of the session; nil if the server does not know it
	Today   *cost.UsageTotals `json:"today"`   // of all sessions today; nil if the server did not answer
	Away    string            `json:"away"`    // why Today is nil, in a few words
	// Limits are those of the session's account, as its stream stated them last.
	Limits []accountlimits.Limit `json:"limits,omitempty"`
}

// Line returns the line. now is the time from which the time until a reset is counted.
func Line(in *Input, r *Recorded, now time.Time) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if name := console.Clip(cmp.Or(in.Model.DisplayName, in.Model.ID), 40); strings.TrimSpace(name) != "" {
		add("%s", name)
	}
	switch {
	case r.Session != nil && r.Session.Reported():
		add("session %s", figures(r.Session))
	case in.Cost.Total.known && in.Cost.Total.value >= 0 && in.Cost.Total.value < 1e9:
		add("session $%.2f stated", in.Cost.Total.value)
	}
	if r.Today != nil {
		add("today %s", figures(r.Today))
	} else {
		add("today: %s", r.Away)
	}
	if isShare(in.Context.Used) {
		of := ""
		if in.Context.Size > 0 && in.Context.Size < 1e12 {
			of = " of " + short(int64(in.Context.Size))
		}
		add("context %.0f%%%s", in.Context.Used.value, of)
	}
	for _, l := range []struct {
		name, recorded string
		limit          *Limit
	}{{"5h", "five_hour", in.Limits.FiveHour}, {"7d", "seven_day", in.Limits.SevenDay}} {
		if l.limit == nil {
			if text := recordedLimit(l.name, l.recorded, r.Limits, now); text != "" {
				parts = append(parts, text)
			}
			continue
		}
		if !isShare(l.limit.Used) {
			continue
		}
		text := fmt.Sprintf("%s %.0f%%", l.name, l.limit.Used.value)
		if left := l.limit.left(now); left > 0 {
			text += ", resets in " + rough(left)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// isShare reports whether a percentage is known and can be true. A limit may be exceeded.
func isShare(percent number) bool {
	return percent.known && percent.value >= 0 && percent.value <= 1000
}

// figures formats tokens and their cost.
func figures(t *cost.UsageTotals) string {
	if !t.Reported() {
		return "0 tokens"
	}
	text := short(t.Tokens.Total) + " tokens"
	switch {
	case t.Cost == nil:
		return text + ", no price"
	case t.UnpricedCalls > 0:
		return text + " >" + printers.Cents(t.Cost)
	}
	return text + " " + printers.Cents(t.Cost)
}

// short formats a count of tokens with three digits at most: 950, 12.3k, 261k, 1M.
func short(n int64) string {
	v, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	if unit == "" || v >= 99.95 {
		return fmt.Sprintf("%.0f%s", v, unit)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + unit
}

// rough formats a time in its two largest units: 3d4h, 2h10m, 5m.
func rough(d time.Duration) string {
	m := int64(d.Round(time.Minute) / time.Minute)
	switch {
	case m >= 24*60:
		return fmt.Sprintf("%dd%dh", m/(24*60), m/60%24)
	case m >= 60:
		return fmt.Sprintf("%dh%dm", m/60, m%60)
	}
	return fmt.Sprintf("%dm", m)
}

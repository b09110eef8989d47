package statusline

import (
	"fmt"
	"math"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/facts/accountlimits"
)

// recordedLimit returns the part of the line about a window that Claude Code did not state to the
// command, as the session's stream stated it last. It is "" for a window that the stream did not
// state, or that was reset since, and for one of which it stated only that it is not used up.
func recordedLimit(name, recorded string, limits []accountlimits.Limit, now time.Time) string {
	for i := range limits {
		l := &limits[i]
		if l.Name != recorded || l.Over(now) {
			continue
		}
		var text string
		switch {
		case l.UsedPercent != nil && isShare(number{*l.UsedPercent, true}):
			text = fmt.Sprintf("%s %.0f%%", name, math.Round(*l.UsedPercent))
		case l.Status != "" && l.Status != "allowed":
			text = name + " " + console.Clip(l.Status, 30)
		default:
			continue
		}
		if l.ResetsAt != nil {
			text += ", resets in " + rough(l.ResetsAt.Sub(now))
		}
		return text + " (recorded)"
	}
	return ""
}

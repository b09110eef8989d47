package claudecode

import (
	"cmp"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Lengths of the windows that rateLimitType names, s.
const (
	fiveHours = 5 * 3600
	sevenDays = 7 * 24 * 3600
)

// rateLimit reads a rate_limit_event: the state of one window of the plan, and whether usage beyond
// the plan is allowed. utilization is a fraction of the window.
func (s *session) rateLimit(l *line) (*actor, bool) {
	info := l.v.Get("rate_limit_info")
	if !dialect.IsObject(info) {
		return s.openActor(nil), true
	}
	name := string(info.GetStringBytes("rateLimitType"))
	window := schema.Limit{
		Name: cmp.Or(name, "rate_limit"), Status: string(info.GetStringBytes("status")), ResetsAt: dialect.LimitTime(info.Get("resetsAt")),
	}
	switch {
	case name == "five_hour":
		window.Window = fiveHours
	case strings.HasPrefix(name, "seven_day"):
		window.Window = sevenDays
	}
	if used := dialect.LimitNumber(info.Get("utilization")); used != nil {
		*used *= 100
		window.UsedPercent = used
	}
	s.SetLimit(window)
	if status := info.GetStringBytes("overageStatus"); len(status) > 0 && name != "overage" {
		s.SetLimit(schema.Limit{Name: "overage", Status: string(status), ResetsAt: dialect.LimitTime(info.Get("overageResetsAt"))})
	}
	return s.openActor(nil), true
}

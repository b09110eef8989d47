package sessionfilter

import (
	"time"

	"tapedeck/query"
)

// daysMost bounds the number of days that are listed for all sessions of a page together.
const daysMost = 10_000

// Parameters returns the parameters of statements on the facts of sessions, at least one. Sessions
// of a page that is not ordered by time are spread over time, so each session has a list of its own
// days, from its start to its end, with a spare day on both sides. If there are too many days in
// total, none are listed, and the statement reads all days from the first to the last.
func Parameters(tenant string, ids []Session) query.Args {
	names := make([]string, len(ids))
	first, last := ids[0].Started, ids[0].Last
	days, of := []string{}, []string{}
	for i := range ids {
		s := &ids[i]
		names[i] = s.ID
		first, last = min(first, s.Started), max(last, s.Last)
		end := query.Instant(s.Last).AddDate(0, 0, 1).Format(time.DateOnly)
		for day := query.Instant(s.Started).AddDate(0, 0, -1); len(days) <= daysMost; day = day.AddDate(0, 0, 1) {
			name := day.Format(time.DateOnly)
			days, of = append(days, name), append(of, s.ID)
			if name >= end {
				break
			}
		}
	}
	if len(days) > daysMost {
		days, of = []string{}, []string{}
	}
	return query.Args{"tenant": tenant, "sessions": names, "days": days, "days_of": of}.Within(first, last)
}

package sessionfilter

import (
	"time"

	"tapedeck/query"
)

// daysMost bounds the days of all sessions of a page together that are named one by one.
const daysMost = 10_000

// Parameters returns the parameters of statements on the facts of sessions, at least one. Sessions of a
// page that is not in an order of time lie anywhere, so each has its own days: those from its
// beginning to its end, one to spare on both sides. Of sessions with too many days no days
// are named: all from the first to the last are read.
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

// Package calendar computes when dates begin in time zones.
package calendar

import (
	"sort"
	"time"
)

// StartOf returns the first instant of a date in a zone. The date is its midnight in UTC. If the clock
// is put forward across midnight, the instant is that of the change.
func StartOf(date time.Time, zone *time.Location) time.Time {
	const near = 36 * time.Hour // more than any offset plus a clock change
	var start time.Time
	for _, at := range []time.Duration{-near, -near / 3, near / 3, near} {
		_, offset := date.Add(at).In(zone).Zone()
		midnight := date.Add(time.Duration(-offset) * time.Second)
		if isMidnight(midnight.In(zone), date) && (start.IsZero() || midnight.Before(start)) {
			start = midnight
		}
	}
	if !start.IsZero() {
		return start
	}
	// The date has no midnight, since the clock changes across it. The change is at a whole second.
	begin := date.Add(-near)
	seconds := sort.Search(int(2*near/time.Second), func(n int) bool {
		y, m, d := begin.Add(time.Duration(n) * time.Second).In(zone).Date()
		return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(date)
	})
	return begin.Add(time.Duration(seconds) * time.Second)
}

// isMidnight reports whether a time is midnight of a date in its zone.
func isMidnight(at, date time.Time) bool {
	y, m, d := at.Date()
	return at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 &&
		time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Equal(date)
}

// DayOf returns the first instant of the date that a time has in its zone.
func DayOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return StartOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), t.Location())
}

package query

import "time"

// Moment is a time as the API returns it: UTC.
func Moment(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// Known is moment, and nil for 0, which stands for "not known".
func Known(ns int64) *time.Time {
	if ns == 0 {
		return nil
	}
	t := Moment(ns)
	return &t
}

// Millis is a duration in milliseconds, exact to the nanosecond for any that
// is shorter than a hundred days.
func Millis(ns int64) float64 { return float64(ns) / 1e6 }

// KnownMillis is millis, and nil where the duration is not known.
func KnownMillis(ns int64, ok bool) *float64 {
	if !ok {
		return nil
	}
	ms := Millis(ns)
	return &ms
}

// day is how ClickHouse reads a Date parameter.
func day(ns int64) string { return Moment(ns).Format(time.DateOnly) }

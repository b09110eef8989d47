package query

import "time"

// Instant returns a time in UTC, as the API uses it. ns counts nanoseconds since 1970.
func Instant(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// KnownInstant returns Instant(ns), or nil if ns is 0, which means that the time is unknown.
func KnownInstant(ns int64) *time.Time {
	if ns == 0 {
		return nil
	}
	t := Instant(ns)
	return &t
}

// Millis returns a duration in milliseconds. It is exact to the nanosecond for durations
// shorter than a hundred days.
func Millis(ns int64) float64 { return float64(ns) / 1e6 }

// KnownMillis returns Millis(ns), or nil if the duration is unknown.
func KnownMillis(ns int64, ok bool) *float64 {
	if !ok {
		return nil
	}
	ms := Millis(ns)
	return &ms
}

// day returns the UTC date of a time, in the form of a parameter of type Date.
func day(ns int64) string { return Instant(ns).Format(time.DateOnly) }

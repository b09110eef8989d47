package query

import "time"

// moment is a time as the API gives it: UTC.
func moment(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// known is moment, and nil for 0, which stands for "not known".
func known(ns int64) *time.Time {
	if ns == 0 {
		return nil
	}
	t := moment(ns)
	return &t
}

// millis is a duration in milliseconds, exact to the nanosecond for any that
// is shorter than a hundred days.
func millis(ns int64) float64 { return float64(ns) / 1e6 }

// knownMillis is millis, and nil where the duration is not known.
func knownMillis(ns int64, ok bool) *float64 {
	if !ok {
		return nil
	}
	ms := millis(ns)
	return &ms
}

// day is how ClickHouse reads a Date parameter.
func day(ns int64) string { return moment(ns).Format(time.DateOnly) }

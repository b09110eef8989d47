package grouping

import (
	"fmt"
	"strconv"
	"time"

	"tapedeck/internal/calendar"
)

// Granularity is the length of the periods of a report.
type Granularity string

// Periods are calendar periods in the report's time zone.
const (
	Quarterly Granularity = "15m" // a quarter of an hour
	Hourly    Granularity = "hour"
	Daily     Granularity = "day"
	Weekly    Granularity = "week" // an ISO 8601 week, from Monday
	Monthly   Granularity = "month"
	Whole     Granularity = "total" // one period, the whole range
)

// Granularities lists all granularities.
var Granularities = []Granularity{Quarterly, Hourly, Daily, Weekly, Monthly, Whole}

// Period is a part of a report's range.
type Period struct {
	// Name is "2026-03-29", "2026-W13", "2026-03" or, for an hour or a quarter of an hour, its
	// start with the zone's offset. It is null if the whole range is one period. Start and End are
	// the bounds of the period itself, not clipped to the range; End is exclusive.
	Name  *string    `json:"period"`
	Start *time.Time `json:"period_start"`
	End   *time.Time `json:"period_end"`
}

// Expression returns the SQL that computes the name of the period of a time in ns.
func (g Granularity) Expression(ns string) string { return "toString(" + g.Key(ns) + ")" }

// Key returns the SQL that computes the period of a time in ns, for GROUP BY: for hours and quarters
// of an hour the Unix time of their start, otherwise a date.
func (g Granularity) Key(ns string) string {
	at := "fromUnixTimestamp64Nano(" + ns + ", {zone:String})"
	switch g {
	case Quarterly:
		return "intDiv(" + ns + ", 900000000000) * 900" // offsets of zones are multiples of 15 minutes
	case Hourly:
		return "toUnixTimestamp(toStartOfHour(" + at + "))"
	case Daily:
		return "toDate(" + at + ")"
	case Weekly:
		return "toMonday(" + at + ")"
	case Monthly:
		return "toStartOfMonth(" + at + ")"
	}
	return "materialize('')" // GROUP BY does not accept a constant as a key
}

// Period parses a value of Expression.
func (g Granularity) Period(text string, zone *time.Location) (Period, error) {
	if g == Hourly || g == Quarterly {
		unix, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return Period{}, fmt.Errorf("period %q: %w", text, err)
		}
		start, length := time.Unix(unix, 0), time.Hour
		if g == Quarterly {
			length = 15 * time.Minute
		}
		return newPeriod(start.In(zone).Format(time.RFC3339), start, start.Add(length)), nil
	}
	if text == "" {
		return Period{}, nil
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Period{}, fmt.Errorf("period %q: %w", text, err)
	}
	name, end := text, date.AddDate(0, 0, 1)
	switch g {
	case Weekly:
		year, week := date.ISOWeek()
		name, end = fmt.Sprintf("%04d-W%02d", year, week), date.AddDate(0, 0, 7)
	case Monthly:
		name, end = date.Format("2006-01"), date.AddDate(0, 1, 0)
	}
	return newPeriod(name, calendar.StartOf(date, zone), calendar.StartOf(end, zone)), nil
}

func newPeriod(name string, start, end time.Time) Period {
	start, end = start.UTC(), end.UTC()
	return Period{Name: &name, Start: &start, End: &end}
}

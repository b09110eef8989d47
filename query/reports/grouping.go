package reports

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tapedeck/query"
)

// Granularity is how long the periods of a report are.
type Granularity string

// Periods are those of the calendar in the report's time zone.
const (
	Hourly  Granularity = "hour"
	Daily   Granularity = "day"
	Monthly Granularity = "month"
	Whole   Granularity = "total" // one period, the whole range
)

// Granularities are all there are.
var Granularities = []Granularity{Hourly, Daily, Monthly, Whole}

// TagPrefix begins a grouping by a tag: "tag:customer".
const TagPrefix = "tag:"

// Period is a part of a report's range.
type Period struct {
	// Name is "2026-03-29", "2026-03" or, of an hour, its start with the zone's
	// offset; null where the report has one period, the whole range. Start and
	// End are the period's own, not cut to the range, End not being in it.
	Name  *string    `json:"period"`
	Start *time.Time `json:"period_start"`
	End   *time.Time `json:"period_end"`
}

// Expression returns the SQL that names the period of a time in ns: for hours the
// Unix time of their start, else a date.
func (g Granularity) Expression(ns string) string {
	at := "fromUnixTimestamp64Nano(" + ns + ", {zone:String})"
	switch g {
	case Hourly:
		return "toString(toUnixTimestamp(toStartOfHour(" + at + ")))"
	case Daily:
		return "toString(toDate(" + at + "))"
	case Monthly:
		return "toString(toStartOfMonth(" + at + "))"
	}
	return "materialize('')" // a key of GROUP BY, which a constant is not
}

// Period reads what expression gave.
func (g Granularity) Period(text string, zone *time.Location) (Period, error) {
	if g == Hourly {
		unix, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return Period{}, fmt.Errorf("period %q: %w", text, err)
		}
		start := time.Unix(unix, 0)
		return newPeriod(start.In(zone).Format(time.RFC3339), start, start.Add(time.Hour)), nil
	}
	if text == "" {
		return Period{}, nil
	}
	date, err := time.ParseInLocation(time.DateOnly, text, zone)
	if err != nil {
		return Period{}, fmt.Errorf("period %q: %w", text, err)
	}
	if g == Monthly {
		return newPeriod(date.Format("2006-01"), date, date.AddDate(0, 1, 0)), nil
	}
	return newPeriod(text, date, date.AddDate(0, 0, 1)), nil
}

func newPeriod(name string, start, end time.Time) Period {
	start, end = start.UTC(), end.UTC()
	return Period{Name: &name, Start: &start, End: &end}
}

// Group holds what a row is grouped by: the value for each name, nil for rows
// that have none.
type Group map[string]*string

func NewGroup(by, values []string) Group {
	g := Group{}
	for i, name := range by {
		g[name] = query.Named(values[i])
	}
	return g
}

// MarshalRow writes a row as one JSON object: the group's values beside those
// of the given structs.
func MarshalRow(g Group, parts ...any) ([]byte, error) {
	out := []byte{'{'}
	for _, part := range append(parts, map[string]*string(g)) {
		text, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if inner := text[1 : len(text)-1]; len(inner) > 0 {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, inner...)
		}
	}
	return append(out, '}'), nil
}

// GroupOf reads the group out of a row's JSON: the names are those of groupings.
func GroupOf(text []byte, groupings []string) (Group, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	g := Group{}
	for name, raw := range all {
		if !isGrouping(name, groupings) {
			continue
		}
		var value *string
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, fmt.Errorf("group %s: %w", name, err)
		}
		g[name] = value
	}
	return g, nil
}

func isGrouping(name string, groupings []string) bool {
	for _, g := range groupings {
		if name == g || g == TagPrefix && strings.HasPrefix(name, TagPrefix) {
			return true
		}
	}
	return false
}

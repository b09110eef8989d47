package prices

import (
	"errors"
	"fmt"
	"time"
)

// Constraint limits when a set of prices applies: from a date on, or between two times of day. The
// zero Constraint always holds.
type Constraint struct {
	StartDate string `json:"start_date,omitempty"` // YYYY-MM-DD; starts at midnight in UTC
	StartTime string `json:"start_time,omitempty"` // HH:MM:SSZ or with an offset; inclusive
	EndTime   string `json:"end_time,omitempty"`   // exclusive; before StartTime for an interval over midnight

	from       time.Time     // parsed StartDate
	start, end time.Duration // parsed StartTime and EndTime, since midnight in UTC
}

// IsZero reports whether there is no constraint.
func (c Constraint) IsZero() bool { return c.StartDate == "" && c.StartTime == "" && c.EndTime == "" }

// UnmarshalJSON implements json.Unmarshaler.
func (c *Constraint) UnmarshalJSON(text []byte) (err error) {
	type plain Constraint
	if err := decodeStrictly(text, (*plain)(c)); err != nil {
		return fmt.Errorf("constraint: %w", err)
	}
	return c.read()
}

func (c *Constraint) read() (err error) {
	switch {
	case c.StartDate != "" && c.StartTime == "" && c.EndTime == "":
		if c.from, err = time.Parse(time.DateOnly, c.StartDate); err != nil {
			return fmt.Errorf("constraint: start_date %q is not a date YYYY-MM-DD", c.StartDate)
		}
	case c.StartDate == "" && c.StartTime != "" && c.EndTime != "":
		if c.start, err = timeOfDay(c.StartTime); err == nil {
			c.end, err = timeOfDay(c.EndTime)
		}
	default:
		err = errors.New("constraint: it has either start_date, or start_time and end_time")
	}
	return err
}

// timeOfDay parses a time of day with its offset into a duration since midnight in UTC.
func timeOfDay(text string) (time.Duration, error) {
	t, err := time.Parse("15:04:05.999999999Z07:00", text)
	if err != nil {
		return 0, fmt.Errorf("constraint: %q is not a time of day HH:MM:SS with Z or an offset", text)
	}
	return sinceMidnight(t), nil
}

func sinceMidnight(t time.Time) time.Duration {
	t = t.UTC()
	return t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
}

// holds reports whether the constraint holds at a time.
func (c *Constraint) holds(when time.Time) bool {
	switch {
	case c.IsZero():
		return true
	case c.StartDate != "":
		return !when.Before(c.from)
	}
	now := sinceMidnight(when)
	if c.end < c.start {
		return now >= c.start || now < c.end
	}
	return now >= c.start && now < c.end
}

package prices

import (
	"errors"
	"fmt"
	"time"
)

// Constraint limits when a set of prices applies: from a date on, between two times of day, or on
// some days of the week. All limits that are set must be met. The zero Constraint is always met.
type Constraint struct {
	StartDate string `json:"start_date,omitempty"` // YYYY-MM-DD, from its midnight in UTC
	Recurring

	from time.Time // of StartDate
}

// IsZero reports whether there is no constraint.
func (c Constraint) IsZero() bool { return c.StartDate == "" && c.unlimited() }

// UnmarshalJSON implements json.Unmarshaler.
func (c *Constraint) UnmarshalJSON(text []byte) (err error) {
	type plain Constraint
	if err := decodeStrictly(text, (*plain)(c)); err != nil {
		return fmt.Errorf("constraint: %w", err)
	}
	if err := c.read(); err != nil {
		return fmt.Errorf("constraint: %w", err)
	}
	return nil
}

func (c *Constraint) read() (err error) {
	if c.IsZero() {
		return errors.New("it has start_date, start_time and end_time, or weekdays")
	}
	if c.StartDate != "" {
		if c.from, err = time.Parse(time.DateOnly, c.StartDate); err != nil {
			return fmt.Errorf("start_date %q is not a date YYYY-MM-DD", c.StartDate)
		}
	}
	return c.Recurring.read()
}

// holds reports whether the constraint holds at a time.
func (c *Constraint) holds(when time.Time) bool {
	return (c.from.IsZero() || !when.Before(c.from)) && c.Recurring.holds(when)
}

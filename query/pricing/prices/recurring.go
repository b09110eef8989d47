package prices

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Recurring limits when prices apply: between two times of day, on some days of the week, or both.
// The zero Recurring is no limit.
type Recurring struct {
	StartTime string   `json:"start_time,omitempty"` // inclusive; HH:MM:SSZ or with an offset
	EndTime   string   `json:"end_time,omitempty"`   // exclusive; before StartTime for an interval over midnight
	Weekdays  []string `json:"weekdays,omitempty"`   // mon to sun, of the time in UTC; empty for every day

	start, end time.Duration // StartTime and EndTime as times since midnight in UTC
	days       weekdays      // Weekdays as a set
}

// weekdays is a set of days of the week; bit 0 is Monday. 0 means every day.
type weekdays uint8

var weekdayNames = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// weekday returns the day of a time in UTC: 0 for Monday.
func weekday(t time.Time) int { return (int(t.UTC().Weekday()) + 6) % 7 }

func (d weekdays) holds(day int) bool { return d == 0 || d&(1<<day) != 0 }

// changes returns the days, from Tuesday on, whose membership in the set differs from that of the
// previous day.
func (d weekdays) changes() (days []int) {
	for day := 1; day < 7; day++ {
		if d.holds(day) != d.holds(day-1) {
			days = append(days, day)
		}
	}
	return days
}

// unlimited reports whether there is no limit.
func (r *Recurring) unlimited() bool { return !r.timed() && len(r.Weekdays) == 0 }

func (r *Recurring) timed() bool { return r.StartTime != "" || r.EndTime != "" }

// read parses the texts and returns an error if they are invalid.
func (r *Recurring) read() (err error) {
	if (r.StartTime == "") != (r.EndTime == "") {
		return errors.New("start_time and end_time go together")
	}
	if r.timed() {
		if r.start, err = timeOfDay(r.StartTime); err != nil {
			return err
		}
		if r.end, err = timeOfDay(r.EndTime); err != nil {
			return err
		}
	}
	r.days = 0
	for _, name := range r.Weekdays {
		day := slices.Index(weekdayNames, name)
		if day < 0 {
			return fmt.Errorf("%q is no day of the week; write %s", name, strings.Join(weekdayNames, ", "))
		}
		r.days |= 1 << day
	}
	return nil
}

// timeOfDay parses a time of day with its offset, and returns the time since midnight in UTC.
func timeOfDay(text string) (time.Duration, error) {
	t, err := time.Parse("15:04:05.999999999Z07:00", text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time of day HH:MM:SS with Z or an offset", text)
	}
	return sinceMidnight(t), nil
}

func sinceMidnight(t time.Time) time.Duration {
	t = t.UTC()
	return t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
}

// holds reports whether a time is within the limits.
func (r *Recurring) holds(when time.Time) bool {
	if r.days != 0 && !r.days.holds(weekday(when)) {
		return false
	}
	if !r.timed() {
		return true
	}
	now := sinceMidnight(when)
	if r.end < r.start {
		return now >= r.start || now < r.end
	}
	return now >= r.start && now < r.end
}

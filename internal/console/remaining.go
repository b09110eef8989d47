package console

import (
	"fmt"
	"time"
)

// remainingAfter is the time after which the rate so far is used to estimate the rest.
const remainingAfter = 2 * time.Second

// Part describes how much of a total is done, in percent, and how long the rest takes at the rate
// since began: "42%, 9 s left". It returns "" if the total is unknown.
func Part(done, total int64, began time.Time) string {
	if total <= 0 {
		return ""
	}
	part := min(float64(done)/float64(total), 1)
	text := fmt.Sprintf("%.0f%%", 100*part)
	took := time.Since(began)
	if part > 0 && part < 1 && took >= remainingAfter {
		left := time.Duration(float64(took) * (1 - part) / part)
		text += ", " + roughly(left) + " left"
	}
	return text
}

// roughly formats an estimated time, in the unit that a person reads.
func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", max(d.Seconds(), 1))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

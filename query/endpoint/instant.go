package endpoint

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"tapedeck/internal/calendar"
)

// instantAllowed describes the forms of times that ParseInstant reads.
var instantAllowed = []string{
	"RFC 3339, as 2026-03-29T12:00:00Z or 2026-03-29T12:00:00+02:00",
	"a date, as 2026-03-29: its first moment in the timezone",
	"now", "now-24h, now-7d, now+30m: units w, d, h, m, s, ms; d is 24 hours",
}

var (
	errNotAnInstant = errors.New("is not a time")
	errOutOfReach   = errors.New("lies outside the years 1970 to 2261")
)

// The range of times that int64 nanoseconds since 1970 represent.
var (
	earliest = time.Unix(0, 0)
	latest   = time.Unix(0, math.MaxInt64)
)

// ParseInstant parses a time in one of the forms of instantAllowed.
func ParseInstant(text string, zone *time.Location, now time.Time) (time.Time, error) {
	t, err := readInstant(text, zone, now)
	if err == nil && (t.Before(earliest) || t.After(latest)) {
		err = errOutOfReach
	}
	if err != nil {
		return time.Time{}, err
	}
	return t.UTC(), nil
}

func readInstant(text string, zone *time.Location, now time.Time) (time.Time, error) {
	if rest, ok := strings.CutPrefix(text, "now"); ok {
		d, err := shift(rest)
		return now.Add(d), err
	}
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return calendar.StartOf(date, zone), nil
	}
	// A "+" that was not escaped in the URL arrives as a space.
	if t, err := time.Parse(time.RFC3339Nano, strings.Replace(text, " ", "+", 1)); err == nil {
		return t, nil
	}
	return time.Time{}, errNotAnInstant
}

// shift parses an offset from now: "", "-24h", "+1d12h".
func shift(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	sign, rest := text[0], text[1:]
	if sign == ' ' {
		sign = '+'
	}
	if sign != '+' && sign != '-' || rest == "" {
		return 0, errNotAnInstant
	}
	sum := 0.0
	for rest != "" {
		digits := strings.TrimLeft(rest, "0123456789.")
		n, err := strconv.ParseFloat(rest[:len(rest)-len(digits)], 64)
		if err != nil {
			return 0, errNotAnInstant
		}
		after := strings.TrimLeft(digits, "dhmsw")
		unit, ok := units[digits[:len(digits)-len(after)]]
		if !ok {
			return 0, errNotAnInstant
		}
		sum += n * float64(unit)
		rest = after
	}
	if sum > math.MaxInt64/2 {
		return 0, errOutOfReach
	}
	if sign == '-' {
		sum = -sum
	}
	return time.Duration(sum), nil
}

var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute,
	"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// loadZone loads a time zone. It refuses "Local", which would be the server's zone.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" || name == "" {
		return nil, errors.New("the server's own zone has no name")
	}
	return time.LoadLocation(name)
}

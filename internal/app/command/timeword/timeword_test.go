package timeword

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestTime(t *testing.T) {
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	at := func(text string) time.Time {
		now, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	newYear, leap, clocks := at("2027-01-01T00:30:00Z"), at("2028-03-01T12:00:00Z"), at("2026-03-29T23:30:00Z")
	utc, berlin, newYork := time.UTC, zone("Europe/Berlin"), zone("America/New_York")
	for _, c := range []struct {
		text string
		zone *time.Location
		now  time.Time
		want string
	}{
		{"today", utc, newYear, "2027-01-01"},
		{"yesterday", utc, newYear, "2026-12-31"},
		{"this-month", utc, newYear, "2027-01-01"},
		{"last-month", utc, newYear, "2026-12-01"},
		{"today", newYork, newYear, "2026-12-31"},
		{"yesterday", newYork, newYear, "2026-12-30"},
		{"last-month", newYork, newYear, "2026-11-01"},
		{"yesterday", utc, leap, "2028-02-29"},
		{"last-month", utc, at("2026-03-31T12:00:00Z"), "2026-02-01"},
		{"today", berlin, clocks, "2026-03-30"},
		{"yesterday", berlin, clocks, "2026-03-29"},
		{"7d", utc, newYear, "now-7d"},
		{"1d12h", utc, newYear, "now-1d12h"},
		{"90ms", utc, newYear, "now-90ms"},
		{"now-7d", utc, newYear, "now-7d"},
		{"now", utc, newYear, "now"},
		{"now+30m", utc, newYear, "now+30m"},
		{"2026-03-29", utc, newYear, "2026-03-29"},
		{"2026-03-29T12:00:00+02:00", utc, newYear, "2026-03-29T12:00:00+02:00"},
		{"", utc, newYear, ""},
	} {
		if err := CheckTime(c.text); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if got := Time(c.text, c.zone, c.now); got != c.want {
			t.Errorf("%q in %s at %s is %q, not %q", c.text, c.zone, c.now, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"yesteday":   "did you mean yesterday?",
		"Yesterday":  "did you mean yesterday?",
		"last_month": "did you mean last-month?",
		"lastmonth":  "did you mean last-month?",
		"monday":     "RFC 3339, a date",
		"nowish":     "is not known",
		"7x":         "units w, d, h, m, s, ms",
		"7 days":     "units w, d, h, m, s, ms",
		"7D":         "units w, d, h, m, s, ms",
		"1d12":       "units w, d, h, m, s, ms",
	} {
		if err := CheckTime(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, without %q", text, err, want)
		}
	}
}

func TestMonth(t *testing.T) {
	now := time.Date(2027, 1, 31, 23, 0, 0, 0, time.FixedZone("", -3600)) // 1 February in UTC
	for text, want := range map[string]string{
		"this-month": "2027-02", "last-month": "2027-01", "2026-10": "2026-10", "": "", "2026-13": "2026-13",
	} {
		if got, err := Month(text, now); err != nil || got != want {
			t.Errorf("%q is %q, %v, not %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"last-moth": "did you mean last-month?", "yesterday": "it must be a month as 2026-10", "october": "it must be a month",
	} {
		if got, err := Month(text, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}

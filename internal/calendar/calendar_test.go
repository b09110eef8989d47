package calendar

import (
	"testing"
	"time"
	_ "time/tzdata"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Dates begin at their first midnight. Where there is none they begin when the clock is put
// forward over it.
func TestStartOf(t *testing.T) {
	for _, tc := range []struct{ zone, date, want string }{
		{"UTC", "2026-03-29", "2026-03-29T00:00:00Z"},
		{"Europe/London", "2026-03-29", "2026-03-29T00:00:00Z"},
		{"Europe/London", "2026-03-30", "2026-03-29T23:00:00Z"},
		{"America/Asuncion", "2017-10-01", "2017-10-01T04:00:00Z"}, // put forward from 0 to 1 o'clock
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"}, // put forward from 0 to 1 o'clock
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},   // put forward from 0 to 1 o'clock
		{"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},  // put forward from 0 to 1 o'clock
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},   // put back from 1 to 0 o'clock
		{"America/Asuncion", "2017-03-26", "2017-03-26T04:00:00Z"}, // put back from 0 to 23 o'clock
		{"America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z"}, // put back from 0:01 to 23:01
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},     // there was none
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},
		{"Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00Z"},
		{"Europe/Berlin", "2061-01-01", "2060-12-31T23:00:00Z"}, // after a leap year without transitions in tzdata
		{"Pacific/Kiritimati", "2261-12-31", "2261-12-30T10:00:00Z"},
	} {
		zone, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		date, err := time.Parse(time.DateOnly, tc.date)
		if err != nil {
			t.Fatal(err)
		}
		if got := StartOf(date, zone).UTC().Format(time.RFC3339); got != tc.want {
			t.Errorf("%s in %s: %s, expected %s", tc.date, tc.zone, got, tc.want)
		}
	}
}

// The day of a time is that of its own zone.
func TestDayOf(t *testing.T) {
	for _, tc := range []struct{ zone, at, want string }{
		{"UTC", "2026-03-29T23:59:59Z", "2026-03-29T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29T22:30:00Z", "2026-03-29T22:00:00Z"},    // 0:30 on 30 March
		{"America/Santiago", "2026-09-06T12:00:00Z", "2026-09-06T04:00:00Z"}, // the day begins at 1 o'clock
		{"America/Santiago", "2026-09-06T03:30:00Z", "2026-09-05T04:00:00Z"}, // 23:30 on 5 September
	} {
		zone, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, tc.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(at.In(zone)).UTC().Format(time.RFC3339); got != tc.want {
			t.Errorf("%s in %s: %s, expected %s", tc.at, tc.zone, got, tc.want)
		}
	}
}

package endpoint

import (
	"testing"
	"time"
)

func TestParseInstant(t *testing.T) {
	now := time.Date(2026, 3, 29, 12, 0, 0, 123, time.UTC)
	berlin, err := loadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"now":                            "2026-03-29T12:00:00.000000123Z",
		"now-24h":                        "2026-03-28T12:00:00.000000123Z",
		"now-1d12h":                      "2026-03-28T00:00:00.000000123Z",
		"now-1w":                         "2026-03-22T12:00:00.000000123Z",
		"now+1.5s":                       "2026-03-29T12:00:01.500000123Z",
		"now 90m":                        "2026-03-29T13:30:00.000000123Z", // "now+90m", not escaped
		"now-250ms":                      "2026-03-29T11:59:59.750000123Z",
		"2026-03-29":                     "2026-03-28T23:00:00Z",
		"2026-03-30":                     "2026-03-29T22:00:00Z",
		"2026-03-29T12:00:00Z":           "2026-03-29T12:00:00Z",
		"2026-03-29T12:00:00.000000001Z": "2026-03-29T12:00:00.000000001Z",
		"2026-03-29T12:00:00-05:30":      "2026-03-29T17:30:00Z",
		"2026-03-29T12:00:00+02:00":      "2026-03-29T10:00:00Z",
		"2026-03-29T12:00:00 02:00":      "2026-03-29T10:00:00Z",
	} {
		got, err := ParseInstant(text, berlin, now)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %s %v, want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	for _, text := range []string{
		"today", "now-", "now-h", "now-1", "now-1y", "now1h", "now--1h", "now-1h2", "nowhere", "-24h", "2026-3-29", "2026-02-30", "2026-03-29T12:00:00",
		"2026-03-29 12:00:00Z", "1700000000", "now-100000w", "now+99999999999999999999w", "1969-12-31T23:59:59Z", "2262-05-01", "now-1.2.3h", " now", "",
	} {
		if got, err := ParseInstant(text, berlin, now); err == nil {
			t.Errorf("%q: %s, want an error", text, got)
		}
	}
}

// A date means its first moment, also where the clock is put forward from 0 to 1 o'clock on it.
func TestDatesWithoutMidnight(t *testing.T) {
	for _, tc := range []struct{ zone, date, want string }{
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},
		{"Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00Z"},
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"},
	} {
		zone, err := loadZone(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseInstant(tc.date, zone, time.Time{}); err != nil || got.Format(time.RFC3339) != tc.want {
			t.Errorf("%s in %s: %s %v, want %s", tc.date, tc.zone, got.Format(time.RFC3339), err, tc.want)
		}
	}
}

func FuzzParseInstant(f *testing.F) {
	for _, text := range []string{"now", "now-1d12h", "now+1.5s", "2026-03-29", "2026-03-29T12:00:00.5+02:00", "now-9999999999w"} {
		f.Add(text)
	}
	now := time.Unix(1.7e9, 0)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseInstant(text, time.UTC, now)
		if err != nil {
			return
		}
		if got.Before(earliest) || got.After(latest) {
			t.Fatalf("%q: %s does not fit in nanoseconds", text, got)
		}
		again, err := ParseInstant(got.Format(time.RFC3339Nano), time.UTC, now)
		if err != nil || !again.Equal(got) {
			t.Fatalf("%q: %s, read again %s, %v", text, got, again, err)
		}
	})
}

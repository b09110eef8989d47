package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Words for days reach the API as dates in the zone of the report, months as months.
func TestTimeFlags(t *testing.T) {
	parsed := func(line string) *cli {
		t.Helper()
		i, err := newInvocation(context.Background(), strings.Fields(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return &i.cli
	}
	apia, err := time.LoadLocation("Pacific/Apia") // 13 hours ahead of UTC
	if err != nil {
		t.Fatal(err)
	}
	date := func(zone *time.Location, days int) string {
		y, m, d := time.Now().In(zone).Date()
		return time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	month := time.Now().UTC().AddDate(0, 0, 1-time.Now().UTC().Day())
	last := month.AddDate(0, -1, 0)
	for line, want := range map[string]struct{ from, to string }{
		"usage --from yesterday --to today":                           {date(time.UTC, -1), date(time.UTC, 0)},
		"usage --since yesterday --until today":                       {date(time.UTC, -1), date(time.UTC, 0)},
		"usage --from yesterday --to today --timezone Pacific/Apia":   {date(apia, -1), date(apia, 0)},
		"usage --since 7d":                                            {"now-7d", ""},
		"usage --from last-month --to this-month":                     {last.Format("2006-01") + "-01", month.Format("2006-01") + "-01"},
		"usage --from 2026-03-29 --to now-1h --timezone Pacific/Apia": {"2026-03-29", "now-1h"},
	} {
		q, err := parsed(line).Usage.parameters()
		if err != nil {
			t.Fatal(err)
		}
		if q.Get("from") != want.from || q.Get("to") != want.to {
			t.Errorf("%s: from %s to %s, want %s and %s", line, q.Get("from"), q.Get("to"), want.from, want.to)
		}
	}
	bills := parsed("bills preview last-month").Bills.Preview.billPeriod.values()
	if got := bills.Get("period"); got != last.Format("2006-01") {
		t.Errorf("last-month is %s, not %s", got, last.Format("2006-01"))
	}
	for line, want := range map[string]string{
		"sessions --from yesteday":         "did you mean yesterday?",
		"search x --until lastmonth":       "did you mean last-month?",
		"audit --since 7x":                 "units w, d, h, m, s, ms",
		"bills close last-moth":            "did you mean last-month?",
		"bills list --from yesterday":      "this-month or last-month",
		"bills export --period this-mnth ": "did you mean this-month?",
		"prices list --at last-yer":        "is not known",
	} {
		if _, err := newInvocation(context.Background(), strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, without %q", line, err, want)
		}
	}
}

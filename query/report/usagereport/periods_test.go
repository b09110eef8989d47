package usagereport_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

func TestUsagePeriods(t *testing.T) {
	db := querytest.Open(t)
	// One call of 1 token each at these moments, UTC.
	moments := []string{
		"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", // Berlin: the 28th, the 29th
		"2026-03-29T00:59:59.999999999Z", "2026-03-29T01:00:00Z", // the hour that is left out: 01:59 to 03:00
		"2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z", // the 29th, of 23 hours, and the 30th
		"2026-10-24T22:30:00Z",                                                 // 25 October begins
		"2026-10-25T00:10:00Z", "2026-10-25T00:50:00Z", "2026-10-25T01:10:00Z", // 02:10, 02:50, and 02:10 once more
		"2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", // a day of 25 hours
		"2026-10-31T23:30:00Z", // November in Berlin
	}
	rec := querytest.Recording{Session: "s", Stream: 1}
	for i, m := range moments {
		when := querytest.Must[time.Time](t)(time.Parse(time.RFC3339Nano, m))
		u := querytest.Used(fmt.Sprint("u", i), "m", 0, schema.Tokens{Input: 1})
		u.At = when.UnixNano()
		rec.Usages = append(rec.Usages, u)
	}
	db.Add(rec)
	r := querytest.Reader(db, 0)
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want string
	}{
		{"days in Berlin", usagereport.Query{Zone: querytest.Zone(t, "Europe/Berlin"), Granularity: grouping.Daily},
			"2026-03-28:1 2026-03-29:4 2026-03-30:1 2026-10-25:5 2026-10-26:1 2026-11-01:1"},
		{"days in UTC", usagereport.Query{Granularity: grouping.Daily},
			"2026-03-28:2 2026-03-29:4 2026-10-24:1 2026-10-25:5 2026-10-31:1"},
		{"months in Berlin", usagereport.Query{Zone: querytest.Zone(t, "Europe/Berlin"), Granularity: grouping.Monthly},
			"2026-03:6 2026-10:6 2026-11:1"},
		{"months in Kiritimati", usagereport.Query{Zone: querytest.Zone(t, "Pacific/Kiritimati"), Granularity: grouping.Monthly},
			"2026-03:6 2026-10:6 2026-11:1"},
		{"days in Kathmandu", usagereport.Query{Zone: querytest.Zone(t, "Asia/Kathmandu"), Granularity: grouping.Daily},
			"2026-03-29:4 2026-03-30:2 2026-10-25:4 2026-10-26:2 2026-11-01:1"},
		{"hours in Berlin when the clock goes forward", usagereport.Query{
			Zone: querytest.Zone(t, "Europe/Berlin"), Granularity: grouping.Hourly, From: berlin(t, 2026, 3, 29), To: berlin(t, 2026, 3, 30),
		}, "2026-03-29T00:00:00+01:00:1 2026-03-29T01:00:00+01:00:1 2026-03-29T03:00:00+02:00:1 2026-03-29T23:00:00+02:00:1"},
		{"hours in Berlin when the clock goes back", usagereport.Query{
			Zone: querytest.Zone(t, "Europe/Berlin"), Granularity: grouping.Hourly, From: berlin(t, 2026, 10, 25), To: berlin(t, 2026, 10, 26),
		}, "2026-10-25T00:00:00+02:00:1 2026-10-25T02:00:00+02:00:2 2026-10-25T02:00:00+01:00:1 2026-10-25T23:00:00+01:00:1"},
		{"hours in Kathmandu, a quarter off", usagereport.Query{
			Zone: querytest.Zone(t, "Asia/Kathmandu"), Granularity: grouping.Hourly, To: berlin(t, 2026, 3, 30),
		}, "2026-03-29T04:00:00+05:45:2 2026-03-29T06:00:00+05:45:2 2026-03-30T03:00:00+05:45:1"},
		{"half open", usagereport.Query{From: berlin(t, 2026, 3, 29), To: berlin(t, 2026, 3, 30)}, "4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Tenant = db.Tenant
			report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
			var got []string
			for _, row := range report.Items {
				name := ""
				if row.Name != nil {
					name = *row.Name + ":"
					if !row.Start.Before(*row.End) {
						t.Errorf("period %s goes from %s to %s", *row.Name, row.Start, row.End)
					}
				}
				got = append(got, fmt.Sprint(name, row.Tokens.Total))
			}
			querytest.Equal(t, "periods", tc.want, strings.Join(got, " "))
		})
	}
	t.Run("a day of 25 hours", func(t *testing.T) {
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
			Tenant: db.Tenant, Zone: querytest.Zone(t, "Europe/Berlin"), Granularity: grouping.Daily, From: berlin(t, 2026, 10, 25), To: berlin(t, 2026, 10, 26),
		}))
		row := report.Items[0]
		querytest.Equal(t, "start", "2026-10-24T22:00:00Z", row.Start.Format(time.RFC3339))
		querytest.Equal(t, "end", "2026-10-25T23:00:00Z", row.End.Format(time.RFC3339))
	})
}

func berlin(t *testing.T, year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, querytest.Zone(t, "Europe/Berlin"))
}

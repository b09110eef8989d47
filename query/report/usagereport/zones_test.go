package usagereport_test

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// zoneSpans are ranges in which clocks change: Samoa left out 30 December 2011, London
// changes in March and October, and the others have odd offsets.
var zoneSpans = [][2]string{
	{"2011-12-28T00:00:00Z", "2012-01-02T00:00:00Z"}, {"2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z"}, {"2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z"},
}

// Periods of all zones hold the calls that Go's own clock puts there, and add up to the
// range. Their bounds hold the same calls.
func TestZones(t *testing.T) {
	fulltest.Long(t)
	rec := querytest.Recording{Session: "s", Stream: 1}
	for _, span := range zoneSpans {
		at, end := querytest.Must[time.Time](t)(time.Parse(time.RFC3339, span[0])), querytest.Must[time.Time](t)(time.Parse(time.RFC3339, span[1]))
		for ; at.Before(end); at = at.Add(20 * time.Minute) {
			u := querytest.Used(fmt.Sprint("u", len(rec.Usages)), "m", 0, schema.Tokens{Input: 1})
			u.At = at.UnixNano()
			rec.Usages = append(rec.Usages, u)
		}
	}
	db := querytest.Open(t)
	db.Add(rec)
	r := querytest.Reader(db, 0)
	names := map[grouping.Granularity]func(time.Time) string{
		grouping.Daily: func(at time.Time) string { return at.Format(time.DateOnly) },
		grouping.Weekly: func(at time.Time) string {
			year, week := at.ISOWeek()
			return fmt.Sprintf("%d-W%02d", year, week)
		},
		grouping.Hourly: func(at time.Time) string {
			past := time.Duration(at.Minute()) * time.Minute
			return at.Add(-past).Format(time.RFC3339)
		},
		grouping.Quarterly: func(at time.Time) string {
			past := time.Duration(at.Minute()%15) * time.Minute
			return at.Add(-past).Format(time.RFC3339)
		},
		grouping.Monthly: func(at time.Time) string { return at.Format("2006-01") },
	}
	for _, zone := range monthZones {
		for granularity, name := range names {
			t.Run(zone+" "+string(granularity), func(t *testing.T) {
				of := querytest.Zone(t, zone)
				want := map[string]int{}
				for i := range rec.Usages {
					want[name(time.Unix(0, rec.Usages[i].At).In(of))]++
				}
				report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
					Tenant: db.Tenant, Zone: of, Granularity: granularity,
				}))
				got, sum := map[string]int{}, 0
				for _, row := range report.Items {
					got[*row.Name] = int(row.Calls)
					sum += int(row.Calls)
					within := 0
					for i := range rec.Usages {
						if at := rec.Usages[i].At; at >= row.Start.UnixNano() && at < row.End.UnixNano() {
							within++
						}
					}
					if within != int(row.Calls) {
						t.Errorf("%s has %d calls, and %d lie from %s to %s", *row.Name, row.Calls, within, row.Start, row.End)
					}
				}
				querytest.Equal(t, "calls by period", want, got)
				if sum != len(rec.Usages) || int(report.Totals.Calls) != sum {
					t.Errorf("periods have %d calls, the totals %d, want %d", sum, report.Totals.Calls, len(rec.Usages))
				}
				if _, found := got["2011-12-30"]; found == (zone == "Pacific/Apia") && granularity == grouping.Daily {
					t.Errorf("30 December 2011 is there: %v", found)
				}
			})
		}
	}
}

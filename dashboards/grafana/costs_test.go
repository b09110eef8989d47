package grafana

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/deletion"
)

// cell is one row of a report of costs.
type cell struct {
	Period, Group, Cost, Currency string
	Calls, Unpriced               uint64
	UnpricedTokens                int64
}

// costsOfAPI are the rows of GET /v1/usage by periods and groups; those without a value of a tag
// are left out.
func costsOfAPI(t *testing.T, db *querytest.DB, tenant, by string, zone *time.Location) (list []string) {
	t.Helper()
	q := usagereport.Query{Tenant: tenant, Granularity: "day", GroupBy: []string{by}, Zone: zone}
	report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), querytest.Reader(db, 30*day), q))
	for _, row := range report.Items {
		if row.Group[by] == nil {
			continue
		}
		c := cell{Period: *row.Name, Group: *row.Group[by], Cost: "0", Currency: "USD", Calls: row.Calls, Unpriced: row.UnpricedCalls, UnpricedTokens: row.UnpricedTokens}
		if row.Cost != nil {
			c.Cost, c.Currency = row.Cost.Amount.String(), row.Cost.Currency
		}
		list = append(list, fmt.Sprintf("%+v", c))
	}
	return list
}

// costsOfView are the same of the view reports_model_costs.
func costsOfView(t *testing.T, db *querytest.DB, tenant, by string, zone *time.Location) (list []string) {
	t.Helper()
	group, from := by, "reports_model_costs"
	if tag, is := strings.CutPrefix(by, "tag:"); is {
		group, from = "substring(tag, "+fmt.Sprint(len(tag)+2)+")", "(SELECT *, arrayJoin(arrayFilter(t -> startsWith(t, '"+tag+"='), tags)) AS tag FROM reports_model_costs)"
	}
	sql := "SELECT toString(toDate(at, '" + zone.String() + "')) AS day, " + group + " AS of, sum(cost), currency, sum(calls), sum(unpriced_calls), sum(unpriced_tokens)\n" +
		"FROM " + from + " WHERE tenant = ? GROUP BY day, of, currency ORDER BY day, of"
	answer, err := db.Conn.Query(t.Context(), sql, tenant)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer answer.Close()
	for answer.Next() {
		var c cell
		var cost decimal.Decimal
		if err := answer.Scan(&c.Period, &c.Group, &cost, &c.Currency, &c.Calls, &c.Unpriced, &c.UnpricedTokens); err != nil {
			t.Fatal(err)
		}
		c.Cost = cost.String()
		list = append(list, fmt.Sprintf("%+v", c))
	}
	if err := answer.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// Panels of costs read the figures of GET /v1/usage by day and model, tenant and tag, to the
// last decimal and in time zones whose days begin at quarters of an hour: with calls in the last and
// the first second of days, with models without a price, with sessions of several streams, and after
// a deletion.
func TestModelCostsEqualTheAPI(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	db := recorded(t)
	kathmandu, err := time.LoadLocation("Asia/Kathmandu") // 5:45 before UTC
	if err != nil {
		t.Fatal(err)
	}
	began := querytest.When(0)
	first := float64(began.Truncate(24*time.Hour).Add(24*time.Hour).Unix() - began.Unix()) // the next day of UTC
	for i, at := range []float64{first - 2, first - 16, first + 18*3600 + 15*60 - 2, first + 18*3600 + 15*60, first + 5*day} {
		r := session(fmt.Sprint("later-", i), 20+i, at, []string{"gpt-5", "gpt-5-mini", unpriced}[i%3])
		r.State.Tags = map[string]string{"team": []string{"blue", "red"}[i%2], "customer": "c1"}
		db.Add(r)
	}
	other := session("later-0", 40, first+3600, "gpt-4.1")
	other.State.Tags = map[string]string{"team": "green"}
	for i := range other.Usages {
		other.Usages[i].ID += "-other"
		other.Usages[i].Scope += "-other"
	}
	db.Add(other)
	rows := 0
	check := func(stage string) {
		t.Helper()
		settle(t, db)
		for _, tenant := range []string{querytest.Tenant, "o'brien", "third"} {
			for _, by := range []string{"model", "tenant", "tag:team", "tag:customer"} {
				for _, zone := range []*time.Location{time.UTC, kathmandu} {
					want, got := costsOfAPI(t, db, tenant, by, zone), costsOfView(t, db, tenant, by, zone)
					rows += len(want)
					querytest.Equal(t, fmt.Sprintf("%s, %s by %s in %s", stage, tenant, by, zone), strings.Join(want, "\n"), strings.Join(got, "\n"))
				}
			}
		}
	}
	check("as recorded")
	db.Merge() // which lets ClickHouse delete
	if err := deletion.Delete(t.Context(), querytest.Reader(db, day), querytest.Tenant, "later-1"); err != nil {
		t.Fatal(err)
	}
	check("deleted")
	if rows < 100 {
		t.Errorf("%d rows were compared", rows)
	}
}

package evaluate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/cost"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Periods are calendar days and months of the rule's zone, also where its clock changes.
func TestPeriods(t *testing.T) {
	for _, tc := range []struct {
		period         rule.Period
		zone, at       string
		name, from, to string
	}{
		{rule.Day, "UTC", "2026-03-29T00:00:00Z", "2026-03-29", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"},
		{rule.Day, "UTC", "2026-03-28T23:59:59Z", "2026-03-28", "2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z"},
		{rule.Month, "UTC", "2026-02-28T23:59:59Z", "2026-02", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		{rule.Month, "UTC", "2026-12-31T12:00:00Z", "2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{rule.Day, "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // 23 hours
		{rule.Month, "Asia/Tokyo", "2026-02-28T15:00:00Z", "2026-03", "2026-02-28T15:00:00Z", "2026-03-31T15:00:00Z"},
		{rule.Day, "America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"}, // without a midnight
	} {
		p, err := evaluate.PeriodAt(&rule.Rule{Per: rule.PerTenant, Period: tc.period, Zone: tc.zone}, moment(t, tc.at))
		if err != nil || p.Name != tc.name || !p.From.Equal(moment(t, tc.from)) || !p.To.Equal(moment(t, tc.to)) {
			t.Errorf("%s of %s in %s: %+v, %v", tc.period, tc.at, tc.zone, p, err)
		}
	}
}

// A budget is exceeded by more than its tokens or its cost, or by what the use so far is by the month's end at the same
// rate, once a day of the month has passed.
func TestOverBudget(t *testing.T) {
	of := func(change func(*rule.Rule)) *rule.Rule {
		r := &rule.Rule{Name: "r", Kind: rule.Budget, Per: "tag:customer", Period: rule.Month, Zone: "UTC", PerHour: 60}
		change(r)
		return r
	}
	tokens := of(func(r *rule.Rule) { r.Tokens = 3100 })
	forecast := of(func(r *rule.Rule) { r.Tokens, r.Forecast = 3100, true })
	dear := of(func(r *rule.Rule) { r.Cost, r.Currency = decimal.RequireFromString("31"), "EUR" })
	dearForecast := of(func(r *rule.Rule) { r.Cost, r.Currency, r.Forecast = decimal.RequireFromString("31"), "EUR", true })
	eur := func(text string) *cost.Money {
		return &cost.Money{Amount: decimal.RequireFromString(text), Currency: "EUR"}
	}
	for _, tc := range []struct {
		name   string
		rule   *rule.Rule
		use    evaluate.Use
		at     string
		detail string // "" for no alert
	}{
		{"as many tokens as the budget", tokens, evaluate.Use{Tokens: 3100}, "2026-03-20T00:00:00Z", ""},
		{"a token more", tokens, evaluate.Use{Tokens: 3101}, "2026-03-20T00:00:00Z", `customer "acme" used 3101 tokens in 2026-03 (UTC), more than 3100`},
		{"a steep rate without a forecast", tokens, evaluate.Use{Tokens: 3000}, "2026-03-03T00:00:00Z", ""},
		{"as much as the cost", dear, evaluate.Use{Cost: eur("31.00")}, "2026-03-20T00:00:00Z", ""},
		{"more cost", dear, evaluate.Use{Cost: eur("31.01")}, "2026-03-20T00:00:00Z", `customer "acme" cost 31.01 EUR in 2026-03 (UTC), more than 31`},
		{"more cost in another currency", dear, evaluate.Use{Cost: &cost.Money{Amount: decimal.NewFromInt(99), Currency: "USD"}}, "2026-03-20T00:00:00Z", ""},
		{"no known cost", dear, evaluate.Use{Tokens: 1e9}, "2026-03-20T00:00:00Z", ""},
		// On 11 March ten of 31 days have passed: by the end of the month the use is 3.1 times as much.
		{"a rate that just keeps the budget", forecast, evaluate.Use{Tokens: 1000}, "2026-03-11T00:00:00Z", ""},
		{"a rate that exceeds it", forecast, evaluate.Use{Tokens: 1001}, "2026-03-11T00:00:00Z",
			`customer "acme" used 1001 tokens in 2026-03 (UTC) until 2026-03-11T00:00:00Z: 3103 by its end at this rate, more than 3100`},
		{"a rate on the first day", forecast, evaluate.Use{Tokens: 3000}, "2026-03-01T23:59:59Z", ""},
		{"a rate after a day", forecast, evaluate.Use{Tokens: 101}, "2026-03-02T00:00:00Z",
			`customer "acme" used 101 tokens in 2026-03 (UTC) until 2026-03-02T00:00:00Z: 3131 by its end at this rate, more than 3100`},
		{"exceeded on the first day", forecast, evaluate.Use{Tokens: 3101}, "2026-03-01T00:00:01Z", "used 3101 tokens in 2026-03 (UTC), more than 3100"},
		{"a rate of cost", dearForecast, evaluate.Use{Cost: eur("10.01")}, "2026-03-11T00:00:00Z",
			`customer "acme" cost 10.01 EUR in 2026-03 (UTC) until 2026-03-11T00:00:00Z: 31.03 by its end at this rate, more than 31`},
		{"a rate that exceeds it by a fraction", forecast, evaluate.Use{Tokens: 3100}, "2026-03-31T23:59:59Z", "3100 by its end"},
		{"after the end of the period", tokens, evaluate.Use{Tokens: 3101}, "2026-04-01T00:00:30Z", "used 3101 tokens"},
	} {
		p, err := evaluate.PeriodAt(tc.rule, moment(t, "2026-03-20T00:00:00Z"))
		if err != nil {
			t.Fatal(err)
		}
		tc.use.Tenant, tc.use.Value = "default", "acme"
		a := evaluate.OverBudget(tc.rule, p, &tc.use, moment(t, tc.at))
		if (a != nil) != (tc.detail != "") || a != nil && !strings.Contains(a.Detail, tc.detail) {
			t.Errorf("%s: %+v, want %q", tc.name, a, tc.detail)
			continue
		}
		if a == nil {
			continue
		}
		if *a.Per != "tag:customer" || *a.Value != "acme" || *a.Period != "2026-03" || a.Tenant != "default" || a.Kind != rule.Budget {
			t.Errorf("%s: %+v", tc.name, a)
		}
		if began := moment(t, tc.at); !a.Began.Before(p.To) || began.Before(p.To) && !a.Began.Equal(began) {
			t.Errorf("%s: it began at %s", tc.name, a.Began)
		}
	}
}

// An episode is the period of one tag value: the same at any moment of it, and another one for another value, tenant,
// rule or period.
func TestBudgetEpisode(t *testing.T) {
	r := &rule.Rule{Name: "r", Kind: rule.Budget, Per: "tag:customer", Period: rule.Day, Zone: "UTC", Tokens: 1, PerHour: 60}
	id := func(r *rule.Rule, tenant, value, at string) string {
		p, err := evaluate.PeriodAt(r, moment(t, at))
		if err != nil {
			t.Fatal(err)
		}
		a := evaluate.OverBudget(r, p, &evaluate.Use{Tenant: tenant, Value: value, Tokens: 2}, moment(t, at))
		if a.Key != evaluate.BudgetKey(r, p, tenant, value) {
			t.Errorf("the key of %s is %s", a.ID, a.Key)
		}
		return a.ID
	}
	first := id(r, "a", "acme", "2026-03-29T00:00:00Z")
	if later := id(r, "a", "acme", "2026-03-29T23:59:59Z"); later != first {
		t.Errorf("%s and %s", first, later)
	}
	other := *r
	other.Name = "other"
	for name, id := range map[string]string{
		"value": id(r, "a", "other", "2026-03-29T00:00:00Z"), "tenant": id(r, "b", "acme", "2026-03-29T00:00:00Z"),
		"period": id(r, "a", "acme", "2026-03-30T00:00:00Z"), "rule": id(&other, "a", "acme", "2026-03-29T00:00:00Z"),
	} {
		if id == first {
			t.Errorf("another %s has the same alert", name)
		}
	}
}

// A budget of a tag value or a tenant is no rule of single sessions.
func TestBudgetOfNoSession(t *testing.T) {
	rules := []rule.Rule{{Name: "r", Kind: rule.Budget, Per: rule.PerTenant, Period: rule.Day, Zone: "UTC", Tokens: 1, PerHour: 60}}
	if found := evaluate.Findings(rules, &evaluate.Session{Tenant: "default", ID: "s", Tokens: 5}, nil, 5); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// A long value of a tag, and one that is no text, is named in part.
func TestLongValue(t *testing.T) {
	r := &rule.Rule{Name: "r", Kind: rule.Budget, Per: "tag:customer", Period: rule.Day, Zone: "UTC", Tokens: 1}
	p, err := evaluate.PeriodAt(r, moment(t, "2026-03-29T00:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	a := evaluate.OverBudget(r, p, &evaluate.Use{Tenant: "default", Value: strings.Repeat("ä", 5000) + "\n\xff", Tokens: 2}, p.From)
	if len(a.Detail) > 300 || strings.Contains(a.Detail, "\n") || !strings.Contains(a.Detail, "ä…") {
		t.Errorf("%d bytes: %.300q", len(a.Detail), a.Detail)
	}
	if *a.Value != strings.Repeat("ä", 5000)+"\n\xff" {
		t.Error("the value of the alert is not that of the tag")
	}
}

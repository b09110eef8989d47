package prices_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/pricing/prices"
)

const planFile = `
currency: EUR
rates:
  - {from: 2026-01-15, usd: 0.9}
  - {from: 2026-07-01, usd: 0.8}
plans:
  - {name: Team, price: 30.5, period: month, provider: anthropic}
  - {name: Max, price: 200, currency: USD, zone: Europe/Berlin, tag: {account: max}, from: 2026-03-01, to: 2026-05-01}
  - {price: 1, tenant: acme, model: gpt-*}
`

func table(t *testing.T, file string) *prices.Effective {
	t.Helper()
	o, err := prices.ReadFile("p.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return prices.With(o)
}

func TestPlans(t *testing.T) {
	e := table(t, planFile)
	again, err := prices.LoadEffective(e.Text())
	if err != nil || again.Hash() != e.Hash() {
		t.Fatalf("the table read again: %v", err)
	}
	for _, e := range []*prices.Effective{e, again} {
		var got []string
		for i := range e.Plans() {
			p := &e.Plans()[i]
			got = append(got, fmt.Sprint(p.Name, " ", p.Price, " ", p.Currency, " ", p.Location()))
		}
		if want := []string{"Team 30.5 EUR UTC", "Max 200 USD Europe/Berlin", "plans[2] 1 EUR UTC"}; !slices.Equal(got, want) {
			t.Errorf("plans %v, expected %v", got, want)
		}
	}
	if got := strings.Join(e.Tenants(), ","); got != "acme" {
		t.Errorf("tenants %s", got)
	}
	if p := &e.Plans()[2]; !p.MayCover("acme") || p.MayCover("other") || !e.Plans()[0].MayCover("other") {
		t.Error("the tenants of the plans are others")
	}
}

// The last plan that is for a call covers it. The dates of a plan are of its zone: 1 March begins in
// Berlin at 23:00 UTC, 1 May at 22:00.
func TestPlanOf(t *testing.T) {
	e := table(t, planFile)
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	tagged := map[string]string{"account": "max"}
	april := at("2026-04-01T00:00:00Z")
	for _, tc := range []struct {
		name string
		call prices.Call
		want int
	}{
		{"by the provider", prices.Call{Provider: "anthropic", Model: "claude-opus-5", At: april}, 0},
		{"by the provider of the model", prices.Call{Model: "claude-opus-5", At: april}, 0},
		{"of a model without a price", prices.Call{Provider: "anthropic", Model: "in-house", At: april}, 0},
		{"the last of two", prices.Call{Provider: "anthropic", Model: "claude-opus-5", At: april, Tags: tagged}, 1},
		{"its first moment", prices.Call{Provider: "openai", At: at("2026-02-28T23:00:00Z"), Tags: tagged}, 1},
		{"before it", prices.Call{Provider: "anthropic", At: at("2026-02-28T22:59:59Z"), Tags: tagged}, 0},
		{"its last second", prices.Call{Provider: "openai", At: at("2026-04-30T21:59:59Z"), Tags: tagged}, 1},
		{"after it", prices.Call{Provider: "openai", At: at("2026-04-30T22:00:00Z"), Tags: tagged}, -1},
		{"another value of the tag", prices.Call{Provider: "openai", At: april, Tags: map[string]string{"account": "api"}}, -1},
		{"the tenant", prices.Call{Provider: "openai", Model: "gpt-5", At: april, Tenant: "acme"}, 2},
		{"another tenant", prices.Call{Provider: "openai", Model: "gpt-5", At: april, Tenant: "other"}, -1},
	} {
		if got := e.PlanOf(tc.call, 0); got != tc.want {
			t.Errorf("%s: plan %d, expected %d", tc.name, got, tc.want)
		}
		if got := e.Listed().PlanOf(tc.call, 0); got != tc.want {
			t.Errorf("%s: plan %d of the list, expected %d", tc.name, got, tc.want)
		}
	}
	if got := prices.Standard().PlanOf(prices.Call{At: april}, 0); got != -1 || prices.Standard().Listed() != nil {
		t.Errorf("without plans: plan %d", got)
	}
}

// A price in dollars is converted at the rate at the beginning of the month, and before the first
// rate at that.
func TestPlanMonths(t *testing.T) {
	e := table(t, planFile)
	berlin := e.Plans()[1].Location()
	for _, tc := range []struct {
		plan  int
		at    string
		month string
		price string
	}{
		{1, "2026-02-28T22:59:59Z", "2026-02", "180"},
		{1, "2026-02-28T23:00:00Z", "2026-03", "180"},
		{1, "2026-04-30T21:59:59Z", "2026-04", "180"},
		{1, "2026-04-30T22:00:00Z", "2026-05", "180"},
		{1, "2025-12-31T23:00:00Z", "2026-01", "180"}, // before the first rate
		{1, "2026-07-31T12:00:00Z", "2026-07", "180"}, // July begins in Berlin before the second rate, which is from midnight in UTC
		{1, "2026-08-31T12:00:00Z", "2026-08", "160"},
		{0, "1999-12-31T23:59:59Z", "1999-12", "30.5"},
	} {
		p := &e.Plans()[tc.plan]
		when, err := time.Parse(time.RFC3339, tc.at)
		if err != nil {
			t.Fatal(err)
		}
		m := prices.MonthOf(when, p.Location())
		if m.String() != tc.month || e.PlanPrice(p, m).String() != tc.price {
			t.Errorf("%s of plan %d: %s at %s; expected %s at %s",
				tc.at, tc.plan, m, e.PlanPrice(p, m), tc.month, tc.price)
		}
	}
	if got := prices.Month(2026*12 + 2).Start(berlin).UTC().Format(time.RFC3339); got != "2026-02-28T23:00:00Z" {
		t.Errorf("March begins in Berlin at %s", got)
	}
	asuncion, err := time.LoadLocation("America/Asuncion")
	if err != nil {
		t.Fatal(err)
	}
	// On 1 October 2017 the clock was put forward from 0 to 1 o'clock.
	if got := prices.Month(2017*12 + 9).Start(asuncion).UTC().Format(time.RFC3339); got != "2017-10-01T04:00:00Z" {
		t.Errorf("October 2017 begins in Asuncion at %s", got)
	}
}

// A plan begins and ends with the first moment of a date, also where the date has no midnight.
func TestPlanDatesWithoutMidnight(t *testing.T) {
	e := table(t, "plans:\n  - {name: team, price: 1, zone: America/Santiago, from: 2026-09-06, to: 2027-09-05}\n")
	scope := e.Plans()[0].Scope
	from, to := scope.From.Format(time.RFC3339), scope.To.Format(time.RFC3339)
	if from != "2026-09-06T04:00:00Z" || to != "2027-09-05T04:00:00Z" {
		t.Errorf("the plan is from %s to %s", from, to)
	}
}

// Plans change neither the price of a call nor how calls are grouped for it. Only the list of them
// tells their calls apart.
func TestPlansChangeNoPrice(t *testing.T) {
	with := table(t, planFile)
	without := table(t, planFile[:strings.Index(planFile, "plans:")])
	if d := cmp.Diff(without.Splits(), with.Splits()); d != "" {
		t.Errorf("splits (-without +with):\n%s", d)
	}
	named := []prices.Named{{Provider: "openai", Model: "gpt-5"}}
	if d := cmp.Diff(without.SplitsOf(named), with.SplitsOf(named)); d != "" {
		t.Errorf("splits of a model (-without +with):\n%s", d)
	}
	call := prices.Call{Provider: "openai", Model: "gpt-5", Tenant: "acme", At: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)}
	q, err := with.Quote(call, 1)
	if err != nil || q.Charged["input_mtok"].Base.String() != "1" || len(q.Rules) != 0 { // 1.25 dollars at 0.8
		t.Errorf("prices %v by %v, %v", q.Charged, q.Rules, err)
	}
	if q, err = with.Listed().Quote(call, 1); err != nil || q.Charged["input_mtok"].Base.String() != "1.25" {
		t.Errorf("list prices %v, %v", q.Charged, err)
	}
	list := with.Listed().SplitsOf(named)
	begins := time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC)
	if !slices.Equal(list.Tags, []string{"account"}) || !slices.ContainsFunc(list.Instants, begins.Equal) {
		t.Errorf("splits of the list: tags %v, instants %v", list.Tags, list.Instants)
	}
	month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if a, b := with.Digest("acme", named, month, month.AddDate(0, 1, 0)), without.Digest("acme", named, month, month.AddDate(0, 1, 0)); a != b {
		t.Error("plans change the digest of prices, so that bills would be compared anew")
	}
}

func TestPlanErrors(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"unknown field", "plans:\n  - name: Max\n    pric: 200\n", `p.yaml:3: plans[0].pric: there is no such field; did you mean "price"?`},
		{"a field of rules", "plans:\n  - {price: 1, factor: 2}\n", `p.yaml:2: plans[0].factor: there is no such field`},
		{"no price", "plans:\n  - name: Max\n", `p.yaml:2: plans[0]: a plan has a price for each month`},
		{"negative price", "plans:\n  - {price: -1}\n", `p.yaml:2: plans[0].price: -1 is negative`},
		{"price is no number", "plans:\n  - {price: much}\n", `p.yaml:2: plans[0].price: expected a number`},
		{"price twice", "plans:\n  - {price: 1, price: 2}\n", `p.yaml:2: plans[0].price: the field occurs twice`},
		{"another period", "plans:\n  - {price: 1, period: year}\n", `p.yaml:2: plans[0].period: "year" is no period of a plan`},
		{"no zone", "plans:\n  - {price: 1, zone: Berlin}\n", `p.yaml:2: plans[0].zone: "Berlin" is not an IANA time zone`},
		{"no currency", "plans:\n  - {price: 1, currency: EURO}\n", `p.yaml:2: plans[0].currency: "EURO" is not an ISO 4217`},
		{"euros in a file of dollars", "plans:\n  - price: 1\n    currency: EUR\n", `p.yaml:2: plans[0].currency: EUR is not USD, the currency of the file`},
		{"a third currency", "plans:\n  - {price: 1, currency: GBP}\ncurrency: EUR\nrates: [{from: 2026-01-01, usd: 1}]\n",
			`p.yaml:2: plans[0].currency: GBP is neither EUR, the currency of the file, nor USD`},
		{"no date", "plans:\n  - {price: 1, from: soon}\n", `p.yaml:2: plans[0].from: "soon" is neither a date`},
		{"ends first", "plans:\n  - {price: 1, from: 2026-03-01, to: 2026-03-01}\n", `p.yaml:2: plans[0].to: the plan ends before it begins`},
		{"one time of day", "plans:\n  - {price: 1, start_time: \"01:00:00Z\"}\n", `p.yaml:2: plans[0]: start_time and end_time go together`},
		{"the same calls", "plans:\n  - {price: 1, model: A}\n  - {price: 2, model: a, from: 2026-03-01}\n", `p.yaml:3: plans[1]: its dates overlap those of the plan in line 2`},
		{"an empty list of models", "plans:\n  - {price: 1, model: []}\n", `p.yaml:2: plans[0].model: the list is empty`},
		{"no list", "plans: {price: 1}\n", `p.yaml:1: plans: expected a list`},
		{"no fields", "plans: [Max]\n", `p.yaml:1: plans[0]: expected fields`},
		{"too many", "plans:\n" + manyPlans(101), `p.yaml:102: plans[100]: the file has more than 100 plans`},
	} {
		o, err := prices.ReadFile("p.yaml", []byte(tc.file))
		if list, ok := errors.AsType[prices.FileErrors](err); !ok || o != nil || !strings.HasPrefix(list[0].Error(), tc.want) {
			t.Errorf("%s: %v, expected %s", tc.name, err, tc.want)
		}
	}
	for _, tc := range []struct{ name, file string }{
		{"as many as allowed", "plans:\n" + manyPlans(100)},
		{"one after the other", "plans:\n  - {price: 1, to: 2026-03-01}\n  - {price: 2, from: 2026-03-01}\n"},
		{"one within the other", "plans:\n  - {price: 1}\n  - {price: 2, provider: openai}\n"},
		{"without a price", "plans:\n  - {price: 0}\n"},
	} {
		if _, err := prices.ReadFile("p.yaml", []byte(tc.file)); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func manyPlans(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  - {price: 1, tag: {account: a%d}}\n", i)
	}
	return b.String()
}

package planshare_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/pricing/prices"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plans has a plan for all calls, and one of Berlin for those with a tag. A dollar is half a euro.
const plans = `
currency: EUR
rates: [{from: 2026-01-01, usd: 0.5}]
margins: [{factor: 3}]
prices: [{model: in-house, prices: {input_mtok: 100}}]
plans:
  - {name: Team, price: 100}
  - {name: Max, price: 200, currency: USD, zone: Europe/Berlin, tag: {account: max}, from: 2026-03-01, to: 2026-06-01}
  - {name: others, price: 5, tenant: another}
`

type world struct {
	table *prices.Effective
	list  *cost.Pricer
	*planshare.Divider
}

func newWorld(t testing.TB, file string) *world {
	t.Helper()
	o, err := prices.ReadFile("p.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	table := prices.With(o)
	return &world{table, &cost.Pricer{Table: table.Listed(), Tenant: "acme", Split: cost.SplitOf(table, table.Listed())},
		planshare.New(table, "acme")}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// cell is a call with millions of input tokens, of which one costs 1.25 dollars with gpt-5 and 0.25 with
// gpt-5-mini.
func cell(t testing.TB, when, model, account string, millions int64) *cost.Cell {
	c := &cost.Cell{Key: cost.Key{Model: model, At: at(t, when).UnixNano(), Valid: true, Tags: []string{account}}}
	c.Calls, c.Input, c.InputTokens = 1, millions*1e6, millions*1e6
	return c
}

// TestShare divides the prices of months by hand.
func TestShare(t *testing.T) {
	impossible := cell(t, "2026-05-05T00:00:00Z", "in-house", "", 7)
	impossible.Valid = false
	w := newWorld(t, plans)
	cells := []struct {
		*cost.Cell
		want string
	}{
		// March of Team: 100 euros over 1.25, 0.25, 5 and no dollars, 6.5 in all, by list prices: own prices and
		// margins do not matter. Up to each call there are 100 × 1.25 / 6.5 = 19.230769230769…, 100 × 1.5 / 6.5
		// = 23.076923076923… and 100 euros.
		{cell(t, "2026-03-01T00:00:00Z", "gpt-5", "", 1), "19.230769230769"},
		{cell(t, "2026-03-02T00:00:00Z", "gpt-5-mini", "", 1), "3.846153846154"},
		{cell(t, "2026-03-31T23:59:59Z", "gpt-5", "api", 4), "76.923076923077"},
		{cell(t, "2026-03-02T00:00:00Z", "in-house", "", 9), "0"},
		// March of Max, which begins at 23:00 UTC: 100 euros over 1.25 and 3.75 dollars.
		{cell(t, "2026-02-28T23:00:00Z", "gpt-5", "max", 1), "25"},
		{cell(t, "2026-03-31T21:59:59Z", "gpt-5", "max", 3), "75"},
		// April of Max: of one call.
		{cell(t, "2026-03-31T22:00:00Z", "gpt-5", "max", 1), "100"},
		// February of Team, which covers the calls with the tag before Max begins.
		{cell(t, "2026-02-28T22:59:59Z", "gpt-5", "max", 1), "100"},
		// April of Team: no call has a list price, and the tokens decide: 1 and 3 million.
		{cell(t, "2026-04-02T00:00:00Z", "in-house", "", 1), "25"},
		{cell(t, "2026-04-03T00:00:00Z", "in-house", "", 3), "75"},
		// May of Team: a call without tokens, and one with impossible ones.
		{cell(t, "2026-05-05T00:00:00Z", "gpt-5", "", 0), "0"},
		{impossible, "0"},
	}
	for _, c := range cells {
		w.Count(w.list, c.Cell)
	}
	for i, c := range cells {
		if got := w.Share(w.list, c.Cell); got.Text() != c.want || got.Currency != "EUR" {
			t.Errorf("cell %d: %s, expected %s", i, got.Text(), c.want)
		}
	}
	// What was stored after the calls were counted has no share.
	for _, when := range []string{"2026-03-02T00:00:00Z", "2026-06-02T00:00:00Z"} {
		if got := w.Share(w.list, cell(t, when, "gpt-5", "", 50)); got.Text() != "0" {
			t.Errorf("a call that was not counted: %s", got.Text())
		}
	}
	got := uses(w.Uses(time.Time{}, time.Time{}, at(t, "2026-05-10T00:00:00Z")))
	if d := cmp.Diff([]string{
		// February to May, of which May has nothing to divide by.
		"Team 100 EUR: 4 months, 400 EUR = 300 + 0 + 100, open 2026-05",
		"Max 200 USD: 3 months, 300 EUR = 200 + 0 + 100, open 2026-05",
	}, got); d != "" {
		t.Errorf("uses (-want +got):\n%s", d)
	}
}

func uses(list []planshare.Use) (lines []string) {
	for i := range list {
		u := &list[i]
		line := fmt.Sprintf("%s %s %s: %d months, %s %s = %s + %s + %s", u.Name, u.Price.Text(), u.Price.Currency, u.Months,
			u.Cost.Text(), u.Cost.Currency, u.Share.Text(), u.Others.Text(), u.Unallocated.Text())
		if u.OpenMonth != nil {
			line += ", open " + *u.OpenMonth
		}
		lines = append(lines, line)
	}
	return lines
}

// A report has the months of its range that the plan has, and of their prices what falls on its calls.
func TestUses(t *testing.T) {
	for _, tc := range []struct {
		name          string
		from, to, now string
		want          []string
	}{
		{"a part of a month", "2026-03-10T00:00:00Z", "2026-03-20T00:00:00Z", "2026-07-01T00:00:00Z", []string{
			"Team 100 EUR: 1 months, 100 EUR = 25 + 75 + 0", "Max 200 USD: 1 months, 100 EUR = 0 + 100 + 0",
		}},
		{"without calls", "2026-05-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-08-01T00:00:00Z", []string{
			"Team 100 EUR: 2 months, 200 EUR = 0 + 0 + 200", "Max 200 USD: 1 months, 100 EUR = 0 + 0 + 100", // to 1 June
		}},
		{"from a time on", "2026-03-31T22:30:00Z", "", "2026-05-01T00:00:00Z", []string{
			"Team 100 EUR: 3 months, 300 EUR = 0 + 100 + 200, open 2026-05", "Max 200 USD: 2 months, 200 EUR = 0 + 0 + 200, open 2026-05",
		}},
		{"up to a time", "", "2026-03-31T22:30:00Z", "2026-05-01T00:00:00Z", []string{
			"Team 100 EUR: 1 months, 100 EUR = 25 + 75 + 0", "Max 200 USD: 2 months, 200 EUR = 0 + 100 + 100",
		}},
		{"the future", "2027-01-01T00:00:00Z", "", "2026-05-01T00:00:00Z", []string{
			"Team 100 EUR: 0 months, 0 EUR = 0 + 0 + 0", "Max 200 USD: 0 months, 0 EUR = 0 + 0 + 0",
		}},
		{"before a call that is in the future", "", "", "2026-02-01T00:00:00Z", []string{
			"Team 100 EUR: 1 months, 100 EUR = 25 + 75 + 0", "Max 200 USD: 1 months, 100 EUR = 0 + 100 + 0",
		}},
		{"nothing before the plan", "2025-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-05T00:00:00Z", []string{
			"Team 100 EUR: 14 months, 1400 EUR = 0 + 0 + 1400", "Max 200 USD: 1 months, 100 EUR = 0 + 100 + 0, open 2026-03",
		}},
	} {
		w := newWorld(t, plans)
		in := cell(t, "2026-03-15T00:00:00Z", "gpt-5", "", 1)
		for _, c := range []*cost.Cell{in, cell(t, "2026-03-05T00:00:00Z", "gpt-5", "", 3), cell(t, "2026-03-05T00:00:00Z", "gpt-5", "max", 3)} {
			w.Count(w.list, c)
		}
		var from, to time.Time
		if tc.from != "" {
			from = at(t, tc.from)
		}
		if tc.to != "" {
			to = at(t, tc.to)
		}
		if i := in.At; (from.IsZero() || i >= from.UnixNano()) && (to.IsZero() || i < to.UnixNano()) {
			w.Share(w.list, in)
		}
		if d := cmp.Diff(tc.want, uses(w.Uses(from, to, at(t, tc.now)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
	none := newWorld(t, plans).Uses(time.Time{}, time.Time{}, at(t, "2026-05-10T00:00:00Z"))
	if none[0].Months != 0 || none[1].Months != 3 { // Max has dates
		t.Errorf("without any call: %v", uses(none))
	}
}

// The range of the calls has the whole months of a report in the zones of all plans.
func TestRange(t *testing.T) {
	w := newWorld(t, plans)
	from, to := w.Range(at(t, "2026-03-31T22:30:00Z"), at(t, "2026-04-02T00:00:00Z"))
	if from.After(at(t, "2026-03-01T00:00:00Z")) || to.Before(at(t, "2026-05-01T00:00:00Z")) {
		t.Errorf("from %s to %s", from, to)
	}
	if from, to = w.Range(time.Time{}, time.Time{}); !from.IsZero() || !to.IsZero() {
		t.Errorf("without limits from %s to %s", from, to)
	}
	if from, to = w.Range(at(t, "1677-09-22T00:00:00Z"), at(t, "2262-04-11T00:00:00Z")); !from.IsZero() || !to.IsZero() {
		t.Errorf("at the ends of all time from %s to %s", from, to)
	}
	if got := planshare.Zones(w.table, "acme"); !slices.Equal(got, []string{"UTC", "Europe/Berlin"}) {
		t.Errorf("zones %v", got)
	}
	if !planshare.Covers(w.table, "another") || planshare.Covers(prices.Standard(), "acme") {
		t.Error("the tenants of the plans are others")
	}
}

// The shares of any calls, grouped in any way, are the exact ones to the last decimal, and add up to the
// price. The expected ones are computed with fractions.
func TestSharesOfAnyCalls(t *testing.T) {
	perMillion := map[string]*big.Rat{"gpt-5": big.NewRat(125, 100), "gpt-5-mini": big.NewRat(25, 100), "in-house": new(big.Rat)}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(prices.PlanDecimals), nil))
	amounts := []string{"200", "17.5", "0", "0.000000000001", "33.333333333333", "999999999999.999999999999"}
	worlds := map[string]*world{}
	for _, price := range amounts {
		worlds[price] = newWorld(t, "plans: [{name: Max, price: "+price+"}]\n")
	}
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.SampledFrom(amounts).Draw(t, "price")
		exact, _ := new(big.Rat).SetString(price)
		list := worlds[price].list
		d := planshare.New(worlds[price].table, "acme")
		whole, tokens := new(big.Rat), new(big.Rat)
		type call struct {
			*cost.Cell
			group int
			in    bool // the report has it
			cost  *big.Rat
		}
		var calls []call
		for range rapid.IntRange(1, 30).Draw(t, "calls") {
			model := rapid.SampledFrom([]string{"gpt-5", "gpt-5-mini", "in-house"}).Draw(t, "model")
			c := &cost.Cell{Key: cost.Key{Model: model, At: 1772409600e9, Valid: true}} // 2 March 2026
			c.Calls, c.Input = 1, rapid.Int64Range(0, 3_000_000).Draw(t, "tokens")
			c.InputTokens = c.Input
			of := call{c, rapid.IntRange(0, 5).Draw(t, "group"), rapid.IntRange(0, 2).Draw(t, "in") > 0,
				new(big.Rat).Mul(perMillion[model], big.NewRat(c.Input, 1e6))}
			d.Count(list, c)
			whole.Add(whole, of.cost)
			tokens.Add(tokens, big.NewRat(c.Input, 1))
			calls = append(calls, of)
		}
		slices.SortStableFunc(calls, func(a, b call) int { return a.group - b.group })
		part := new(big.Rat)
		shares, wants, sum := map[int]*big.Rat{}, map[int]*big.Rat{}, new(big.Rat)
		all := true
		for _, c := range calls {
			if all = all && c.in; !c.in {
				continue
			}
			if shares[c.group] == nil {
				shares[c.group], wants[c.group] = new(big.Rat), new(big.Rat)
			}
			weight, of := c.cost, whole
			if whole.Sign() == 0 {
				weight, of = big.NewRat(c.Input, 1), tokens
			}
			if of.Sign() > 0 {
				want := new(big.Rat).Quo(new(big.Rat).Mul(exact, weight), of)
				wants[c.group].Add(wants[c.group], want)
				part.Add(part, want)
			}
			share := d.Share(list, c.Cell).Amount.Rat()
			shares[c.group].Add(shares[c.group], share)
			sum.Add(sum, share)
		}
		for group, share := range shares {
			off := new(big.Rat).Sub(share, wants[group])
			if share.Sign() < 0 || off.Abs(off).Mul(off, scale).Cmp(big.NewRat(1, 1)) > 0 {
				t.Fatalf("group %d: %s, expected about %s", group, share.FloatString(20), wants[group].FloatString(20))
			}
		}
		if all && (whole.Sign() > 0 || tokens.Sign() > 0) && sum.Cmp(exact) != 0 {
			t.Fatalf("the shares add up to %s, expected %s", sum.FloatString(20), price)
		}
		// Those of a part of the calls add up to their exact share, rounded half up.
		units := new(big.Rat).Add(new(big.Rat).Mul(part, scale), big.NewRat(1, 2))
		rounded := new(big.Int).Quo(units.Num(), units.Denom())
		if got := new(big.Rat).Mul(sum, scale); !got.IsInt() || got.Num().Cmp(rounded) != 0 {
			t.Fatalf("the shares add up to %s units, expected %s", got, rounded)
		}
	})
}

package pricelist

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/pricing/prices"
)

// A check of a price file lists the plans that are new, gone or different, and warns of a plan for a model
// that nobody knows. No price changes by a plan.
func TestPlans(t *testing.T) {
	read := func(file string) *prices.Operator {
		o, err := prices.ReadFile("p.yaml", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	before := read("plans:\n  - {name: Pro, price: 20}\n  - {name: Team, price: 30, tag: {team: a}}\n")
	after := read("plans:\n  - {name: Max, price: 200, model: gpt-fife}\n  - {name: Team, price: 25, tag: {team: a}}\n  - {name: Pro, price: 20}\n")
	c := Compare(prices.With(before), prices.With(after), "acme", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	want := []RuleChange{
		{"plans", "Team", "removed"}, {"plans", "Max", "added"}, {"plans", "Team", "added"},
	}
	if d := cmp.Diff(want, c.Rules); d != "" || len(c.Changes) != 0 {
		t.Errorf("%d changes of prices, rules (-want +got):\n%s", len(c.Changes), d)
	}
	var warned []string
	for _, w := range Warn(after, nil) {
		warned = append(warned, w.Field+" "+w.Value)
	}
	if d := cmp.Diff([]string{"plans[0].model gpt-fife"}, warned); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

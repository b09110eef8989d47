package sessionlist_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
)

// Pages by cost hold what a list of all sessions does, in order; sessions whose cost is not
// known have the lowest place, and none in a range of costs.
func TestSessionOrdersByCost(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(spenders(24)...)
	r := querytest.Reader(db, 1e6)
	low, high := decimal.RequireFromString("0.00001"), decimal.RequireFromString("0.0000875")
	costOf := func(s *sessionhead.Summary) decimal.Decimal {
		if s.Cost == nil {
			return decimal.NewFromInt(-1)
		}
		return s.Cost.Amount
	}
	key := func(s *sessionhead.Summary) float64 { return costOf(s).InexactFloat64() }
	all := pages(t, r, sessionlist.Query{Tenant: db.Tenant, Limit: 100})
	slices.SortFunc(all, func(x, y sessionhead.Summary) int {
		return cmp.Or(costOf(&x).Cmp(costOf(&y)), cmp.Compare(x.ID, y.ID))
	})
	for name, tc := range map[string]struct {
		filter  sessionfilter.Filter
		outside func(s sessionhead.Summary) bool
	}{
		"all": {sessionfilter.Filter{}, func(sessionhead.Summary) bool { return false }},
		"in a range of costs, with tokens": {sessionfilter.Filter{MinCost: &low, MaxCost: &high, MinTokens: 5}, func(s sessionhead.Summary) bool {
			return s.Cost == nil || s.Cost.Amount.LessThan(low) || s.Cost.Amount.GreaterThan(high)
		}},
	} {
		want := slices.DeleteFunc(slices.Clone(all), tc.outside)
		if len(want) < 4 || want[0].Cost != nil && name == "all" {
			t.Fatalf("%s: %s", name, lineOf(want, key))
		}
		q := sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Sort: "cost", Limit: 5}
		querytest.Equal(t, name, lineOf(want, key), lineOf(pages(t, r, q), key))
		slices.Reverse(want)
		q.Sort, q.Limit = "-cost", 100
		querytest.Equal(t, name+", highest first", lineOf(want, key), lineOf(pages(t, r, q), key))
	}
	byTime := pages(t, r, sessionlist.Query{Tenant: db.Tenant, Filter: sessionfilter.Filter{MinCost: &high}, Limit: 100})
	if len(byTime) == 0 || slices.ContainsFunc(byTime, func(s sessionhead.Summary) bool { return costOf(&s).LessThan(high) }) {
		t.Errorf("from %s: %s", high, lineOf(byTime, key))
	}
}

package bills

import (
	"slices"
	"testing"

	"tapedeck/query/querytest"
)

// After its first bill, each account has the months that have begun in its time zone. Tokyo is nine
// hours ahead of UTC.
func TestListedMonths(t *testing.T) {
	w := newWorld(t)
	w.prices("accounts: [{tag: customer, zone: Asia/Tokyo}, {tenant: true}]")
	w.session("tokyo", "customer=c1", call("a", "2026-09-03T00:00:00Z", "anthropic", opus, 1000, 0))
	w.session("utc", "", call("a", "2026-09-03T00:00:00Z", "anthropic", opus, 1000, 0))
	w.now = at("2026-10-02T00:00:00Z")
	w.close("customer=c1", "2026-09")
	w.close(TenantID, "2026-09")
	for _, tc := range []struct {
		now  string
		want []string
	}{
		{"2026-10-31T14:59:59Z", []string{"customer=c1 2026-10", "tenant 2026-10"}},
		{"2026-10-31T15:00:00Z", []string{"customer=c1 2026-10", "customer=c1 2026-11", "tenant 2026-10"}},
		{"2026-11-01T00:00:00Z", []string{"customer=c1 2026-10", "customer=c1 2026-11", "tenant 2026-10", "tenant 2026-11"}},
	} {
		w.now = at(tc.now)
		list, err := w.store.List(t.Context(), ListQuery{Tenant: querytest.Tenant})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range list.Items {
			if item.State != Closed {
				got = append(got, item.Account+" "+item.Period)
			}
		}
		if slices.Sort(got); !slices.Equal(got, tc.want) {
			t.Errorf("at %s the list has %q, want %q", tc.now, got, tc.want)
		}
	}
}

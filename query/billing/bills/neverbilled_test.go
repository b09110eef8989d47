package bills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/problem"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
)

// The first bill of an account is refused while earlier months have usage, unless the request
// leaves them without a bill. Then the list has these months apart.
func TestFirstBillNamesEarlierMonths(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.prices("accounts: [{tag: customer, zone: Asia/Tokyo}, {tenant: true}]\nprices: [{name: free, provider: house, model: free, whole: true, prices: {input_mtok: 0, output_mtok: 0}}]")
	// In Tokyo the first call is of August, and the one of c2 of October.
	w.session("old", "customer=c1", call("a", "2025-07-31T15:00:00Z", "anthropic", opus, 20_000, 0), call("b", "2025-09-03T00:00:00Z", "house", "unknown", 5, 0))
	w.session("new", "customer=c1", call("a", "2026-10-03T00:00:00Z", "anthropic", opus, 1000, 0))
	w.session("c2", "customer=c2", call("a", "2026-09-30T15:00:00Z", "anthropic", opus, 1000, 0))
	w.session("untagged", "", call("a", "2025-07-31T15:00:00Z", "anthropic", opus, 1_000_000, 0), call("b", "2026-10-03T00:00:00Z", "anthropic", opus, 1000, 0))
	w.session("free", "", call("a", "2025-08-01T00:00:00Z", "house", "free", 7, 0))
	w.now = at("2026-11-02T00:00:00Z")
	dryRun := func(q Closing) (*Bill, error) { return w.store.DryRun(t.Context(), q, nil) }
	states := func() string {
		list, err := w.store.List(t.Context(), ListQuery{Tenant: querytest.Tenant, From: "2025-01", To: "2026-10"})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, item := range list.Items {
			lines = append(lines, fmt.Sprintf("%s %s %s", item.Account, item.Period, item.State))
		}
		for _, n := range list.NeverBilled {
			lines = append(lines, fmt.Sprintf("%s %s never billed: %d calls, %d unpriced, %s", n.Account, n.Period, n.Calls, n.Unpriced, or(n.Cost.Text(), "?")))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	querytest.Equal(t, "periods before the first bill", lines("customer=c1 2025-08 draft", "customer=c1 2025-09 draft", "customer=c1 2026-10 draft",
		"customer=c2 2026-10 draft", "tenant 2025-07 draft", "tenant 2025-08 draft", "tenant 2026-10 draft"), states())

	for _, tc := range []struct{ account, text, first string }{
		// 20,000 × 5 / 1,000,000 is 0.1.
		{"customer=c1", "2 earlier months (2025-08, 2025-09) have usage of 0.10 USD and 1 call without a price that no bill will hold.", "2025-08"},
		{TenantID, "2 earlier months (2025-07, 2025-08) have usage of 5.00 USD that no bill will hold.", "2025-07"},
	} {
		q := Closing{Tenant: querytest.Tenant, Account: tc.account, Period: "2026-10"}
		_, dry := dryRun(q)
		_, err := w.store.Close(t.Context(), q)
		for _, err := range []error{dry, err} {
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Status != 409 || p.Detail != tc.text || !strings.Contains(p.Hint, "Close "+tc.first+" first") {
				t.Errorf("%s: %+v, want %s", tc.account, err, tc.text)
			}
		}
		if p, err := w.store.Preview(t.Context(), querytest.Tenant, tc.account, "2026-10", nil); err != nil || NeverBilledText(p.NeverBilled)+" that no bill will hold." != tc.text {
			t.Errorf("preview of %s: %+v, %v", tc.account, p, err)
		}
	}
	if b := w.close("customer=c2", "2026-10"); b.NeverBilled != nil {
		t.Errorf("an account without earlier usage: %+v", b.NeverBilled)
	}
	// The bill says what it leaves, also when it is read later.
	leaving := Closing{Tenant: querytest.Tenant, Account: TenantID, Period: "2026-10", LeaveEarlier: true}
	if b, err := dryRun(leaving); err != nil || len(b.NeverBilled) != 2 || b.Number != "" {
		t.Errorf("dry run that leaves months: %+v, %v", b, err)
	}
	b := w.closeLeaving(TenantID, "2026-10")
	if stored, err := w.store.Bill(t.Context(), querytest.Tenant, b.Number); err != nil || len(stored.NeverBilled) != 2 || stored.NeverBilled[0].Period != "2025-07" {
		t.Errorf("the stored bill: %+v, %v", stored, err)
	}
	if v := w.verify(b.Number); !v.Equal {
		t.Errorf("verification: %+v", v)
	}
	// An account whose earlier months are closed first is asked nothing.
	august := w.close("customer=c1", "2025-08")
	if august.NeverBilled != nil {
		t.Errorf("August: %+v", august)
	}
	want := lines("customer=c1 2025-08 closed", "customer=c1 2025-09 draft")
	for m := 10; m <= 12; m++ {
		want += fmt.Sprintf("\ncustomer=c1 2025-%02d draft", m)
	}
	for m := 1; m <= 10; m++ {
		want += fmt.Sprintf("\ncustomer=c1 2026-%02d draft", m)
	}
	querytest.Equal(t, "periods after the first bills", want+"\n"+lines("customer=c2 2026-10 closed",
		"tenant 2025-07 never billed: 1 calls, 0 unpriced, 5", "tenant 2025-08 never billed: 1 calls, 0 unpriced, 0", "tenant 2026-10 closed"), states())
}

// A dry run refuses what a close refuses, with the same words. A preview does not.
func TestDryRunRefusesAsClose(t *testing.T) {
	w := newWorld(t)
	w.calls(3)
	waits := error(nil)
	w.store.WithComplete(func(context.Context, string, time.Time, time.Time) error { return waits })
	for _, tc := range []struct {
		now, want string
		waits     error
	}{
		{"2026-03-20T00:00:00Z", "ends on 2026-04-01T00:00:00Z", nil},
		{"2026-04-01T00:30:00Z", "a draft until 2026-04-01T01:00:00Z", nil},
		{"2026-04-02T00:00:00Z", "frames wait", errors.New("frames wait")},
		{"2026-04-02T00:00:00Z", "", nil},
		{"2026-04-02T00:00:00Z", "is closed: bill INV-000001", nil},
	} {
		w.now, waits = at(tc.now), tc.waits
		q := Closing{Tenant: querytest.Tenant, Account: TenantID, Period: "2026-03"}
		_, dry := w.store.DryRun(t.Context(), q, nil)
		if _, err := w.store.Preview(t.Context(), q.Tenant, q.Account, q.Period, nil); err != nil && !strings.Contains(tc.want, "is closed") {
			t.Errorf("preview: %v", err)
		}
		_, err := w.store.Close(t.Context(), q)
		if fmt.Sprint(dry) != fmt.Sprint(err) || tc.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), tc.want) {
			t.Errorf("at %s: the dry run: %v, the close: %v, want %q", tc.now, dry, err, tc.want)
		}
	}
}

func TestNeverBilledText(t *testing.T) {
	usd := func(amount string) *cost.Money {
		return &cost.Money{Amount: decimal.RequireFromString(amount), Currency: "USD"}
	}
	many := make([]NeverBilled, 14)
	for i := range many {
		many[i] = NeverBilled{Period: fmt.Sprintf("2025-%02d", i+1), Cost: usd("0.1")}
	}
	for _, tc := range []struct {
		list []NeverBilled
		want string
	}{
		{[]NeverBilled{{Period: "2025-08", Calls: 3, Cost: usd("0.3149")}}, "1 earlier month (2025-08) has usage of 0.31 USD"},
		{[]NeverBilled{{Period: "2025-08", Cost: usd("0.0004")}}, "1 earlier month (2025-08) has usage of 0.0004 USD"},
		{[]NeverBilled{{Period: "2025-08", Calls: 2, Unpriced: 2}}, "1 earlier month (2025-08) has 2 calls without a price"},
		{[]NeverBilled{{Period: "2025-08"}}, "1 earlier month (2025-08) has usage"},
		{many, "14 earlier months (2025-01, 2025-02, 2025-03, 2025-04, 2025-05, 2025-06, 2025-07, 2025-08, 2025-09, 2025-10, 2025-11, 2025-12, and 2 more) have usage of 1.40 USD"},
	} {
		if got := NeverBilledText(tc.list); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

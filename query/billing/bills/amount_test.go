package bills

import (
	"testing"

	"tapedeck/query/querytest"
)

// TestOneAmount compares the amount of a period in the list, in the preview and in the closed
// bill. By hand: lines of 0.004, 0.004, 0.004 and 10 dollars come to 10.00, each rounded to cents,
// though the exact cost of 10.012 would be 10.01.
func TestOneAmount(t *testing.T) {
	w := newWorld(t)
	w.now = at("2026-11-02T00:00:00Z")
	w.session("a", "", call("1", "2026-10-01T00:00:00Z", "anthropic", opus, 300, 100), call("2", "2026-10-09T00:00:00Z", "anthropic", opus, 500, 60))
	w.session("b", "", call("3", "2026-10-02T00:00:00Z", "openai", "gpt-5", 3200, 0), call("4", "2026-10-31T23:59:59Z", "anthropic", "claude-fable-5", 1_000_000, 0))
	w.session("c", "", call("5", "2026-10-02T00:00:00Z", "anthropic", "claude-nothing", 7, 0))
	list := func() *Item {
		t.Helper()
		l, err := w.store.List(t.Context(), ListQuery{Tenant: querytest.Tenant, From: "2026-10", To: "2026-10"})
		if err != nil || len(l.Items) != 1 || l.Items[0].Amount == nil {
			t.Fatalf("list: %+v, %v", l, err)
		}
		return &l.Items[0]
	}
	const want = "10"
	if item := list(); item.Amount.String() != want || item.Cost.Text() != "10.012" || item.Unpriced != 1 {
		t.Errorf("draft: %s of %s, %d unpriced; expected %s of 10.012 and 1", item.Amount, item.Cost.Text(), item.Unpriced, want)
	}
	if p, err := w.store.Preview(t.Context(), querytest.Tenant, TenantID, "2026-10", nil); err != nil || p.Total.String() != want || p.List == nil || p.List.Date == "" {
		t.Errorf("preview: %+v, %v", p, err)
	}
	if b := w.close(TenantID, "2026-10"); b.Total.String() != want || b.BilledCost.String() != "10.012" {
		t.Errorf("closed: %s of %s", b.Total, b.BilledCost)
	}
	if item := list(); item.Amount.String() != want {
		t.Errorf("closed, in the list: %s", item.Amount)
	}
}

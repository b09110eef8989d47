package bills

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// TestSettledBill closes bills of usage that is settled, in part or not at all. A bill has every
// charge that was stored before its close began, and equals the bill that is computed without a
// settlement.
func TestSettledBill(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.prices("accounts: [{tag: customer}]\nmargins: [{name: c1, tag: {customer: c1}, factor: 2}]\n")
	settler := rollup.NewSettler(w.reader, slog.New(slog.DiscardHandler))
	settle := func() {
		t.Helper()
		if err := settler.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tables := NewStore(query.NewReader(w.db.Conn, query.WithClock(func() time.Time { return w.now }), query.WithPrices(pricetables.NewStore(w.db.Conn, nil)), query.WithoutSettled()),
		w.db.Conn, KeyValueHeads{NATS: w.nats}, nil)
	closed := func(month, of string, charges, corrections uint64) *Bill {
		t.Helper()
		preview, err := tables.Preview(t.Context(), querytest.Tenant, "customer=c1", month, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := w.close("customer=c1", month)
		if b.RowsHash != preview.RowsHash || b.Charges != charges || b.Corrections != corrections {
			t.Errorf("%s, %s: %d charges and %d corrections, want %d and %d; hash %s, without a settlement %s",
				month, of, b.Charges, b.Corrections, charges, corrections, b.RowsHash, preview.RowsHash)
		}
		return b
	}
	total := func(id, when string, input uint64) schema.Usage {
		u := call(id, when, "anthropic", opus, input, 0)
		u.Mode, u.Scope = schema.UsageRunning, "thread"
		return u
	}
	// A running total goes on in the next month.
	w.session("a", "customer=c1", call("u", "2026-03-02T00:00:00Z", "anthropic", opus, 10, 1), total("t1", "2026-03-31T23:00:00Z", 100), total("t2", "2026-04-01T01:00:00Z", 130))
	w.session("b", "customer=c2", call("u", "2026-03-03T00:00:00Z", "anthropic", opus, 20, 2))
	settle()
	w.session("c", "customer=c1", call("u", "2026-03-04T00:00:00Z", "anthropic", opus, 30, 3))
	w.session("a", "customer=c1", call("u", "2026-03-02T00:00:09Z", "anthropic", opus, 11, 1)) // recorded again
	w.now = at("2026-06-02T00:00:00Z")
	closed("2026-03", "some changed since the settlement", 3, 0)
	settle()
	if v := w.verify("INV-000001"); !v.Equal {
		t.Errorf("settled after the close: %v", v.Counts)
	}
	w.session("d", "customer=c1", call("u", "2026-03-05T00:00:00Z", "anthropic", opus, 40, 0))
	w.delete("c")
	settle()
	closed("2026-04", "all settled", 1, 1)
	for i := range 3 {
		w.session(fmt.Sprint("late", i), "customer=c1", call("u", "2026-05-05T00:00:00Z", "anthropic", opus, 50, 0))
	}
	closed("2026-05", "stored just before", 3, 0)
}

package bills

import (
	"testing"
	"time"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/speedtest"
	"tapedeck/query/querytest"
)

// Closing a period of 100,000 charges, which are fewer where times are not asserted.
func TestCloseLargePeriod(t *testing.T) {
	calls := 5_000
	if speedtest.Wanted() {
		calls = 100_000
	}
	w := &world{T: t, db: querytest.Month(t, calls), nats: localtest.NATS(t), now: at("2026-04-02T00:00:00Z")}
	w.setUp(w.nats)
	began := time.Now()
	b := w.close(TenantID, "2026-03")
	took := time.Since(began)
	t.Logf("a bill of %d charges and %d rows closed in %v", b.Charges, b.Rows, took)
	if b.Charges != uint64(calls) {
		t.Errorf("%d charges are billed, want %d", b.Charges, calls)
	}
	speedtest.Within(t, "closing", took, 5*time.Second)
}

package bills

import (
	"context"
	"testing"
	"time"
)

// Sessions of an account that are stored while its close waits for frames are in the bill: their calls
// of the period as charges, those of earlier months as corrections. The next close does not compare
// these periods again.
func TestSessionsStoredDuringClose(t *testing.T) {
	w := newWorld(t)
	w.prices("accounts: [{tag: customer}]\n")
	w.session("first", "customer=c1", call("a", "2026-03-05T00:00:00Z", "anthropic", opus, 1_000_000, 0))
	w.now = at("2026-06-02T00:00:00Z")
	w.close("customer=c1", "2026-03")
	w.store.WithComplete(func(context.Context, string, time.Time, time.Time) error {
		w.session("arriving", "customer=c1",
			call("a", "2026-03-06T00:00:00Z", "anthropic", opus, 2_000_000, 0), call("b", "2026-04-06T00:00:00Z", "anthropic", opus, 3_000_000, 0))
		return nil
	})
	april := w.close("customer=c1", "2026-04")
	w.store.WithComplete(nil)
	may := w.close("customer=c1", "2026-05")
	if april.Total.String() != "25" || april.Charges != 1 || april.Corrections != 1 || may.Rows != 0 {
		t.Errorf("April: %s of %d charges and %d corrections, want 25, 1 and 1; May: %d rows:\n%s",
			april.Total, april.Charges, april.Corrections, may.Rows, w.rows(april))
	}
}

package bills

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/querytest"
)

// TestLinesByCustomer shows a bill of a tenant with three customers by the tag customer, before and
// after the close. By hand, for a million tokens 5 dollars of input and 25 of output: three times
// 0.004 dollars of input are 0.012, which the bill rounds to 0.01. The rounded sums are 0.00, 0.01
// and 0.01, so that the second customer has the cent. The total stays that of the bill.
func TestLinesByCustomer(t *testing.T) {
	w := newWorld(t)
	w.now = at("2026-11-02T00:00:00Z")
	for i, tags := range []string{"customer=a", "customer=b", ""} {
		w.session(fmt.Sprint("s", i), tags, call(fmt.Sprint(i), "2026-10-01T00:00:00Z", "anthropic", opus, 800, 0))
	}
	w.session("s3", "customer=b", call("3", "2026-10-02T00:00:00Z", "anthropic", opus, 0, 400))
	w.session("s4", "customer=b", call("4", "2026-10-02T00:00:00Z", "anthropic", "claude-nothing", 7, 0))
	text := func(b *Bill) string {
		var list []string
		for _, l := range b.Lines {
			list = append(list, fmt.Sprintf("%q %s %s %s = %s, %s, %d", l.TagValue, l.Model, l.Unit, l.Quantity, l.Cost, l.Amount.StringFixed(2), l.Rows))
		}
		return b.By + ":\n" + strings.Join(list, "\n")
	}
	want := lines("customer:",
		`"b" claude-nothing input_tokens 7 = 0, 0.00, 1`,
		`"" claude-opus-5 input_tokens 800 = 0.004, 0.00, 1`,
		`"a" claude-opus-5 input_tokens 800 = 0.004, 0.01, 1`,
		`"b" claude-opus-5 input_tokens 800 = 0.004, 0.00, 1`,
		`"b" claude-opus-5 output_tokens 400 = 0.01, 0.01, 1`)
	by := newSplit("customer")
	preview, err := w.store.Preview(t.Context(), querytest.Tenant, TenantID, "2026-10", by.add)
	if err == nil {
		err = by.apply(preview)
	}
	if err != nil || text(preview) != want {
		t.Errorf("preview: %v, %s\nwant %s", err, text(preview), want)
	}
	closed := w.close(TenantID, "2026-10")
	split, err := w.store.BillBy(t.Context(), querytest.Tenant, closed.Number, "customer")
	if err != nil || text(split) != want || split.Total.String() != "0.02" || split.RowsHash != closed.RowsHash {
		t.Errorf("closed: %v, total %s, %s\nwant 0.02, %s", err, split.Total, text(split), want)
	}
	if whole, err := w.store.BillBy(t.Context(), querytest.Tenant, closed.Number, ""); err != nil || len(whole.Lines) != 3 || whole.By != "" {
		t.Errorf("the bill as it was closed: %v, %s", err, text(whole))
	}
	if _, err := w.store.BillBy(t.Context(), querytest.Tenant, closed.Number, "team"); err == nil || !strings.Contains(err.Error(), `tag "team"`) {
		t.Errorf("a tag that no charge has: %v", err)
	}
}

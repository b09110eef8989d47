package bills

import (
	"fmt"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
)

const inEuros = "currency: EUR\nrates: [{from: 2020-01-01, usd: 0.92}]\n"

// While the price file is in another currency than the last bill of an account, the account's
// periods are neither closed nor previewed, so that no bill has amounts of two currencies.
func TestAccountStaysInOneCurrency(t *testing.T) {
	w := newWorld(t)
	w.calls(1)
	w.now = at("2026-05-02T00:00:00Z")
	w.close(TenantID, "2026-03")
	w.prices(inEuros)
	w.refuse(TenantID, "2026-04", 409, "The last bill of tenant, INV-000001, is in USD. The prices are in EUR. "+
		"An account stays in one currency. Import a price file in USD (tapedeck prices import) and close 2026-04 then.")
	if b, err := w.store.Preview(t.Context(), querytest.Tenant, TenantID, "2026-04", nil); !isStatus(err, 409) {
		t.Errorf("preview: %+v, %v", b, err)
	}
	w.refuse(TenantID, "2026-03", 409, "is closed: bill INV-000001")
}

// With a price file in the currency of the bills again nothing is to be corrected, and what was late
// is billed. A verification compares a bill with prices in its own currency alone.
func TestCurrencyChangedAndBack(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	const accounts = "accounts: [{tag: customer}]\n"
	w.prices(accounts)
	w.session("march", "customer=c1", call("a", "2026-03-05T00:00:00Z", "anthropic", opus, 1_000_000, 0))
	w.session("april", "customer=c1", call("a", "2026-04-05T00:00:00Z", "anthropic", opus, 2_000_000, 0))
	w.now = at("2026-05-02T00:00:00Z")
	march := w.close("customer=c1", "2026-03")
	w.session("late", "customer=c1", call("a", "2026-03-06T00:00:00Z", "anthropic", opus, 100_000, 0))
	w.session("new", "customer=c2", call("a", "2026-04-05T00:00:00Z", "anthropic", opus, 1_000_000, 0))

	w.prices(accounts + inEuros)
	w.refuse("customer=c1", "2026-04", 409, "is in USD. The prices are in EUR.")
	v := w.verify(march.Number)
	if v.Currency != "USD" || v.CurrentPrices != march.PricesHash || fmt.Sprint(v.Counts) != "map[late:1]" || v.Differences[0].Settled {
		t.Errorf("verification while the prices are in euros: %+v", v)
	}
	// An account without bills begins in the currency of the file.
	if b := w.close("customer=c2", "2026-04"); b.Currency != "EUR" || b.Total.String() != "4.6" || b.Corrections != 0 {
		t.Errorf("the first bill of another account: %+v", b)
	}

	w.prices(accounts)
	w.refuse("customer=c2", "2026-05", 409, "is in EUR. The prices are in USD.")
	april := w.close("customer=c1", "2026-04")
	querytest.Equal(t, "rows of April", lines(
		"april claude-opus-5 input_tokens 2000000 × 5 = 10",
		"2026-03 late: late claude-opus-5 input_tokens 100000 × 5 = 0.5",
	), w.rows(april))
	if april.Currency != "USD" || april.Total.String() != "10.5" {
		t.Errorf("April: %+v", april)
	}
	w.prices(accounts + inEuros)
	if v := w.verify(march.Number); fmt.Sprint(v.Counts) != "map[late:1]" || !v.Differences[0].Settled {
		t.Errorf("verification after the correction, with prices in euros: %+v", v)
	}
}

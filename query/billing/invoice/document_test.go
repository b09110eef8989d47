package invoice

import (
	"bytes"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/billing/bills"
	"tapedeck/query/pricing/prices"
)

const file = `currency: EUR
rates:
  - {from: 2025-01-01, usd: 0.9}
  - {from: 2026-10-15, usd: 0.92}
  - {from: 2026-12-01, usd: 0.95}
margins:
  - {name: secret margin, factor: 1.2}
accounts:
  - tag: customer
    name: Customer *
    zone: Europe/Berlin
    issuer: ACME GmbH
    issuer_address: |
      Ring 1
      10115 Berlin
    addresses: {c1: "Blue <Sky> Ltd\n2 High Street"}
    tax: {name: VAT, rate: 19, id: DE123}
    payment_terms: Net 30
`

// TestDocument writes a bill as a page. Its figures are by hand: 0.10 + 0.30 and 1.05 less 0.05
// are 1.40 net, 19 percent of which are 0.266, rounded 0.27.
func TestDocument(t *testing.T) {
	operator, err := prices.ReadFile("p.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	table := prices.With(operator)
	closed := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	line := func(class bills.Class, period, model, unit, quantity, amount string) bills.Line {
		return bills.Line{
			Class: class, Period: period, Provider: "anthropic", Model: model, Unit: unit,
			Quantity: decimal.RequireFromString(quantity), Amount: decimal.RequireFromString(amount), Cost: decimal.RequireFromString(amount),
		}
	}
	b := &bills.Bill{
		Number: "C-000002", Account: "customer=c1", AccountName: "Customer c1", Period: "2026-10", Currency: "EUR", MinorUnits: 2, Timezone: "Europe/Berlin",
		Start: time.Date(2026, 9, 30, 22, 0, 0, 0, time.UTC), End: time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC), ClosedAt: &closed,
		Total: decimal.RequireFromString("1.4"), Unpriced: 2, List: &prices.Release{Date: "2026-09-23"},
		Lines: []bills.Line{
			line("", "2026-10", "claude-opus-5", "input_tokens", "1234567", "0.1"),
			line("", "2026-10", "claude-opus-5", "output_tokens", "89", "0.3"),
			line("", "2026-10", "<script>alert(1)</script>", "input_tokens", "5", "1.05"),
			line(bills.Correction, "2026-09", "claude-opus-5", "input_tokens", "-12345", "-0.05"),
			{Period: "2026-10", Model: "unheard-of", Unit: "input_tokens", Unpriced: true},
		},
	}
	d, err := New(b, table, map[string]string{"2026-09": "C-000001"})
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := d.Write(&page); err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(page.String())
	for _, want := range []string{
		"Invoice C-000002", "ACME GmbH", "<p>Ring 1</p><p>10115 Berlin</p>", "DE123", "Customer c1", "<p>Blue <Sky> Ltd</p><p>2 High Street</p>",
		"2026-10 (2026-10-01 to 2026-10-31, Europe/Berlin)", "Net 30", "1,234,567 input tokens<br>89 output tokens", `class="amount">0.40<`,
		"2026-09, invoice C-000001", "-12,345 input tokens", `class="amount">-0.05<`, "1.40", "VAT 19 %", "0.27", "1.67 EUR",
		"2 charges of the period have no price", "1 USD = 0.9 EUR from 2025-01-01", "1 USD = 0.92 EUR from 2026-10-15", "List prices of 2026-09-23",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"secret margin", "0.95", "unheard-of", "http"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "<Sky>") {
		t.Error("a recorded text or an address is markup")
	}
	b.ClosedAt = nil
	if _, err := New(b, table, nil); err == nil {
		t.Error("a bill that is not closed has an invoice")
	}
}

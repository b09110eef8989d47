package prices_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

const operatorFile = `
currency: EUR
rates:
  - {from: 2026-01-01, usd: 0.9}
  - {from: 2026-07-01, usd: 0.8}
prices:
  - name: fine-tuned
    provider: openai
    model: "ft:*"
    prices: {input_mtok: 3, output_mtok: {base: 12, tiers: [{start: 1000, price: 24}]}}
  - name: contract
    provider: anthropic
    model: claude-opus-5
    tenant: acme
    from: 2026-07-01
    to: 2026-09-01
    prices: {input_mtok: 2}
  - {provider: anthropic, service_tier: priority, factor: 1}
discounts:
  - {name: all of Anthropic, provider: anthropic, factor: 0.9}
  - {name: opus, provider: anthropic, model: claude-opus*, units: output_mtok, factor: 0.5}
margins:
  - {name: everyone, factor: 1.2}
  - {name: c1, tag: {customer: c1}, factor: 1.5}
`

// TestOperator prices a million input and a million output tokens in 10,000 calls by hand:
// claude-opus-5 is 5 and 25 dollars at the list.
func TestOperator(t *testing.T) {
	o, err := prices.ReadFile("prices.yaml", []byte(operatorFile))
	if err != nil {
		t.Fatal(err)
	}
	e := prices.With(o)
	million := prices.Usage{prices.InputTokens: decimal.NewFromInt(1_000_000), prices.OutputTokens: decimal.NewFromInt(1_000_000)}
	may, august := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name                    string
		call                    prices.Call
		list, contracted, total string
		rules                   string
	}{
		// 30 dollars are 27 euros; 5 * 0.9 * 0.9 + 25 * 0.9 * 0.5; times 1.2.
		{"list price", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Tenant: "acme", At: may}, "27", "15.3", "18.36", "all of Anthropic,opus,everyone"},
		// 30 dollars are 24 euros; 2 * 0.9 + 25 * 0.8 * 0.5; times 1.5.
		{"contract", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Tenant: "acme", At: august, Tags: map[string]string{"customer": "c1"}}, "24", "11.8", "17.7", "contract,all of Anthropic,opus,c1"},
		{"contract is over", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Tenant: "acme", At: august.AddDate(0, 1, 0)}, "24", "13.6", "16.32", "all of Anthropic,opus,everyone"},
		{"priority by the file", prices.Call{Provider: "anthropic", Model: "claude-opus-5", ServiceTier: "priority", At: august}, "", "13.6", "16.32", "prices[2],all of Anthropic,opus,everyone"},
		{"not in the table", prices.Call{Provider: "openai", Model: "ft:gpt-5:acme", At: august}, "", "15", "18", "fine-tuned,everyone"},
	} {
		cost, err := e.PriceCell(prices.Cell{Call: tc.call, InputTokens: 100, Calls: 10_000}, million)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got := strings.Join(cost.Rules, ","); got != tc.rules {
			t.Errorf("%s: rules %s, expected %s", tc.name, got, tc.rules)
		}
		list := ""
		if cost.List.Valid {
			list = cost.List.Decimal.String()
		}
		if list != tc.list || cost.Contracted.Decimal.String() != tc.contracted || cost.Total.String() != tc.total {
			t.Errorf("%s: list %s, contracted %s, total %s; expected %s, %s, %s", tc.name, list, cost.Contracted.Decimal, cost.Total, tc.list, tc.contracted, tc.total)
		}
	}
	_, err = e.Price(prices.Call{Provider: "anthropic", Model: "claude-opus-5", At: may.AddDate(-1, 0, 0)}, million)
	if why, ok := errors.AsType[*prices.Unpriced](err); !ok || why.Reason != prices.NoRate {
		t.Errorf("before the first rate: %v", err)
	}
	if e.Currency() != "EUR" || e.Hash() == prices.Standard().Hash() {
		t.Errorf("currency %s, hash %s", e.Currency(), e.Hash())
	}
}

// TestFileErrors reads files with something invalid; the whole file is refused.
func TestFileErrors(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"unknown section", "currency: EUR\nrate: []\n", `p.yaml:2: rate: there is no such field; did you mean "rates"?`},
		{"unknown field", "discounts:\n  - provider: openai\n    factr: 1\n", `p.yaml:3: discounts[0].factr: there is no such field; did you mean "factor"?`},
		{"negative price", "prices:\n  - prices: {input_mtok: -1}\n", `p.yaml:2: prices[0].prices.input_mtok: -1 is negative`},
		{"negative factor", "margins:\n  - factor: -0.5\n", `p.yaml:2: margins[0].factor: -0.5 is negative`},
		{"no number", "margins:\n  - factor: 1e9999999\n", `p.yaml:2: margins[0].factor: expected a number`},
		{"unknown unit", "prices:\n  - prices: {input_mtoks: 1}\n", `p.yaml:2: prices[0].prices.input_mtoks: there is no such field; did you mean "input_mtok"?`},
		{"unknown unit of a factor", "margins:\n  - {factor: 1, units: [tokens, outputs_mtok]}\n", `p.yaml:2: margins[0].units: there is no unit "outputs_mtok"; did you mean "output_mtok"?`},
		{"unknown currency", "currency: EURO\n", `p.yaml:1: currency: "EURO" is not an ISO 4217 currency code`},
		{"no rates", "currency: EUR\n", `p.yaml:1: rates: list prices are in US dollars`},
		{"rates of dollars", "rates: [{from: 2026-01-01, usd: 1}]\n", `p.yaml:1: rates: rates are prices of a US dollar in another currency`},
		{"rates from the same day", "currency: EUR\nrates:\n  - {from: 2026-01-01, usd: 1}\n  - {from: 2026-01-01, usd: 2}\n", `p.yaml:4: rates[1].from: another rate also begins at 2026-01-01`},
		{"zero rate", "currency: EUR\nrates: [{from: 2026-01-01, usd: 0}]\n", `p.yaml:2: rates[0].usd: expected a number above 0`},
		{"overlap", "discounts:\n  - {model: A, factor: 1, to: 2026-03-02}\n  - {model: a, factor: 1, from: 2026-03-01}\n", `p.yaml:3: discounts[1]: its dates overlap those of the rule in line 2`},
		{"overlap of open ends", "prices:\n  - prices: {input_mtok: 1}\n  - prices: {input_mtok: 2}\n", `p.yaml:3: prices[1]: its dates overlap those of the rule in line 2`},
		{"no date", "margins:\n  - {factor: 1, from: yesterday}\n", `p.yaml:2: margins[0].from: "yesterday" is neither a date`},
		{"ends first", "margins:\n  - {factor: 1, from: 2026-03-01, to: 2026-03-01}\n", `p.yaml:2: margins[0].to: the rule ends before it begins`},
		{"no factor", "margins:\n  - model: a\n", `p.yaml:2: margins[0]: the rule has no factor`},
		{"prices of a margin", "margins:\n  - prices: {}\n", `p.yaml:2: margins[0].prices: there is no such field`},
		{"both", "prices:\n  - {factor: 1, prices: {input_mtok: 1}}\n", `p.yaml:2: prices[0]: a rule has either prices or a factor`},
		{"field twice", "margins:\n  - {factor: 1, factor: 2}\n", `p.yaml:2: margins[0].factor: the field occurs twice`},
		{"alias", "margins:\n  - &a {factor: 1}\n  - *a\n", `p.yaml:3: margins[1]: expected fields`},
		{"empty model", "margins:\n  - {factor: 1, model: }\n", `p.yaml:2: margins[0].model: expected a text`},
		{"tag", "margins:\n  - {factor: 1, tag: c1}\n", `p.yaml:2: margins[0].tag: expected tags`},
		{"tier", "prices:\n  - prices: {input_mtok: {base: 1, tiers: [{start: 5}]}}\n", `p.yaml:2: prices[0].prices.input_mtok.tiers[0]: a tier has start and price`},
		{"two documents", "margins: []\n---\nmargins: []\n", `p.yaml:2: the file has a second document`},
		{"no YAML", "a: [\n", `p.yaml: line 1: did not find expected node content`},
		{"too large", "#" + strings.Repeat("x", prices.MaxFile), `p.yaml: the file has 1048577 bytes`},
	} {
		o, err := prices.ReadFile("p.yaml", []byte(tc.file))
		if list, ok := errors.AsType[prices.FileErrors](err); !ok || o != nil || !strings.HasPrefix(list[0].Error(), tc.want) {
			t.Errorf("%s: %v, expected %s", tc.name, err, tc.want)
		}
	}
	for _, tc := range []struct{ name, file string }{
		{"nothing", ""},
		{"one after the other", "margins:\n  - {factor: 1, to: 2026-03-01}\n  - {factor: 2, from: 2026-03-01}\n"},
		{"other tags", "margins:\n  - {factor: 1, tag: {a: b}}\n  - {factor: 2, tag: {a: B}}\n"},
		{"other units", "margins:\n  - {factor: 1, units: input_mtok}\n  - {factor: 2, units: output_mtok}\n"},
	} {
		if _, err := prices.ReadFile("p.yaml", []byte(tc.file)); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add(operatorFile)
	f.Add(planFile)
	f.Fuzz(func(t *testing.T, text string) {
		if o, err := prices.ReadFile("p.yaml", []byte(text)); err == nil {
			e := prices.With(o)
			if again, err := prices.LoadEffective(e.Text()); err != nil || again.Hash() != e.Hash() {
				t.Errorf("the effective table of %q is not the same when it is read again: %v", text, err)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"claude-opus-5", "claude-opus-4-6", "gpt-5", "gpt-5-mini"}
	for name, want := range map[string]string{
		"claude-opus-5x": "claude-opus-5 claude-opus-4-6", "GPT5": "gpt-5", "zzzz": "", "": "",
	} {
		if got := strings.Join(prices.Nearest(name, known, 2), " "); got != want {
			t.Errorf("nearest of %q: %q, expected %q", name, got, want)
		}
	}
}

// TestDocumentedFile reads the price file of the documentation.
func TestDocumentedFile(t *testing.T) {
	text, err := os.ReadFile("../../../docs/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	file, _, ok := strings.Cut(rest, "```")
	o, err := prices.ReadFile("docs/billing.md", []byte(file))
	if !ok || err != nil || len(o.Prices) != 2 || len(o.Discounts) != 1 || len(o.Margins) != 2 {
		t.Errorf("the documented file: %+v, %v", o, err)
	}
}

package prices_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query/pricing/prices"
)

const shared = "../../../../shared/fixtures/genai-prices"

func fixtureTable(t *testing.T) *prices.Table {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared, "data.json"))
	if errors.Is(err, fs.ErrNotExist) {
		fulltest.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	table, err := prices.LoadPackage(text)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestExpectedPrices compares costs with those that the engine of the package
// genai-prices computed (usages.json, with the table data.json beside it).
func TestExpectedPrices(t *testing.T) {
	table := fixtureTable(t)
	var cases []struct {
		Model     string
		Extracted []struct {
			Usage      map[string]decimal.Decimal
			Extractors []struct {
				Provider string           `json:"provider_id"`
				Input    *decimal.Decimal `json:"input_price"`
				Output   *decimal.Decimal `json:"output_price"`
				Total    *decimal.Decimal `json:"total_price"`
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(shared, "usages.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	// The expected prices of gpt-5.6-luna are those before 2026-07-30.
	at := time.Date(2026, 7, 29, 12, 0, 0, 0, time.UTC)
	equal, unknown, left := 0, 0, map[string]int{}
	reasons := map[prices.Reason]int{}
	for i, c := range cases {
		for _, e := range c.Extracted {
			for _, x := range e.Extractors {
				cost, err := table.Price(prices.Call{Provider: x.Provider, Model: c.Model, At: at}, e.Usage)
				var why *prices.Unpriced
				if x.Input == nil {
					if errors.As(err, &why) {
						reasons[why.Reason]++
					} else {
						t.Errorf("case %d, %s of %s, usage %v: cost %s, expected none", i, c.Model, x.Provider, e.Usage, cost.Total)
					}
					unknown++
					continue
				}
				if out, found := leftOut[x.Provider+" "+c.Model]; found {
					if !errors.As(err, &why) || why.Reason != out.reason || !x.Input.IsZero() || !x.Output.IsZero() {
						t.Errorf("case %d, %s of %s: %v, expected %s and %s; it is left out since %s", i, c.Model, x.Provider, err, x.Input, x.Output, out.why)
					}
					left[x.Provider+" "+c.Model]++
					continue
				}
				if err != nil {
					t.Errorf("case %d, %s of %s, usage %v: %v, expected %s and %s", i, c.Model, x.Provider, e.Usage, err, x.Input, x.Output)
					continue
				}
				total := x.Input.Add(*x.Output)
				if x.Total != nil {
					total = *x.Total
				}
				if !cost.Input.Equal(*x.Input) || !cost.Output.Equal(*x.Output) || !cost.Total.Equal(total) {
					t.Errorf("case %d, %s of %s, usage %v: %s + %s, total %s; expected %s + %s, total %s",
						i, c.Model, x.Provider, e.Usage, cost.Input, cost.Output, cost.Total, x.Input, x.Output, total)
					continue
				}
				equal++
			}
		}
	}
	out := 0
	for name, c := range leftOut {
		if out += c.cases; left[name] != c.cases {
			t.Errorf("%d cases of %s are left out, expected %d", left[name], name, c.cases)
		}
	}
	t.Logf("%d equal, %d left out, %d without a price: %v", equal, out, unknown, reasons)
	if equal != 3471 || out != 3 {
		t.Errorf("%d prices are equal and %d left out, expected 3471 and 3", equal, out)
	}
}

// leftOut are the cases whose expected price is 0 since the table has an entry of the
// model without any price. A cost is unknown there, never 0.
var leftOut = map[string]struct {
	cases  int
	reason prices.Reason
	why    string
}{
	"cerebras qwen-3-coder-480b":                  {2, prices.UnitWithoutCost, "its entry has no prices"},
	"openrouter google/gemini-2.0-flash-exp:free": {1, prices.UnitWithoutCost, "its entry has no prices"},
}

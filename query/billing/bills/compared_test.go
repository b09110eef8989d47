package bills

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query/querytest"
)

const comparedPrices = `
currency: EUR
rates: [{from: 2020-01-01, usd: %s}%s]
prices:
  - {name: gpt, provider: openai, model: gpt-5, whole: true, prices: {input_mtok: %s, output_mtok: 8}}
  - {name: house, provider: house, model: [a, b], whole: true, prices: {input_mtok: %s}}
margins:
  - {name: from March on, from: 2026-03-01, factor: %s}
  - {name: others, tenant: somebody-else, factor: %s}
  - {name: tagged, tag: {team: red}, from: 2026-02-01, to: 2026-03-01, factor: %s}
%s`

// A new price table makes the next bill compare the closed periods alone whose rows it may
// change: those with calls of a model, or at a time, for which it has other prices. January
// has calls of Claude, February of gpt-5, March of both, April none.
func TestComparedPeriods(t *testing.T) {
	fulltest.Long(t)
	metrictest.Grow(t, "tapedeck_bill_periods_compared_total")
	w := newWorld(t)
	type file struct{ rate, later, gpt, house, march, others, tagged, more string }
	first := file{"0.9", "", "2", "1", "1.1", "2", "1.5", ""}
	set := func(f file) {
		w.prices(fmt.Sprintf(comparedPrices, f.rate, f.later, f.gpt, f.house, f.march, f.others, f.tagged, f.more))
	}
	set(first)
	w.session("january", "team=blue", call("a", "2026-01-10T10:00:00Z", "anthropic", opus, 1000, 0))
	w.session("february", "team=blue", call("a", "2026-02-10T10:00:00Z", "openai", "gpt-5", 1000, 0))
	w.session("march", "team=blue", call("a", "2026-03-10T10:00:00Z", "anthropic", opus, 1000, 0), call("b", "2026-03-11T10:00:00Z", "openai", "gpt-5", 1000, 0))
	w.now = at("2026-06-02T00:00:00Z")
	for _, month := range []string{"2026-01", "2026-02", "2026-03", "2026-04"} {
		w.close(TenantID, month)
	}
	for _, tc := range []struct {
		name        string
		change      func(*file)
		compared    string
		corrections uint64
	}{
		{"nothing", func(*file) {}, "", 0},
		{"a model without calls", func(f *file) { f.house = "7" }, "", 0},
		{"a margin of another tenant", func(f *file) { f.others = "9" }, "", 0},
		{"a rate after all calls", func(f *file) { f.later = ", {from: 2026-04-01, usd: 0.8}" }, "", 0},
		{"gpt-5", func(f *file) { f.gpt = "3" }, "2026-02 2026-03", 4},
		{"a margin from March on", func(f *file) { f.march = "1.3" }, "2026-03", 4},
		// The sessions have another value of the tag, which is found by comparing.
		{"a margin of a tag in February", func(f *file) { f.tagged = "1.7" }, "2026-02", 0},
		{"the rate of all", func(f *file) { f.rate = "0.7" }, "2026-01 2026-02 2026-03", 8},
		{"a discount of Claude", func(f *file) { f.more = "discounts: [{name: new, provider: anthropic, factor: 0.5}]\n" }, "2026-01 2026-03", 4},
	} {
		f := first
		tc.change(&f)
		set(f)
		c, err := w.store.prepare(t.Context(), querytest.Tenant, TenantID, "2026-05")
		if err == nil {
			err = c.run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.compared, " "); got != tc.compared || c.bill.Corrections != tc.corrections {
			t.Errorf("%s: compared %q with %d corrections, want %q with %d", tc.name, got, c.bill.Corrections, tc.compared, tc.corrections)
		}
	}
	// What was not compared has nothing to correct: a comparison of all finds the same.
	set(first)
	w.session("late", "team=blue", call("a", "2026-01-11T10:00:00Z", "anthropic", opus, 5, 0))
	c, err := w.store.prepare(t.Context(), querytest.Tenant, TenantID, "2026-05")
	if err == nil {
		err = c.run(t.Context())
	}
	if err != nil || strings.Join(c.compared, " ") != "2026-01 2026-02 2026-03 2026-04" || c.bill.Corrections != 1 {
		t.Errorf("a late session of January: %v, %v, %d corrections", err, c.compared, c.bill.Corrections)
	}
}

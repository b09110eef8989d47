package printers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/report/pricelist"
)

// The first changes of each kind are listed, and the counts of all.
func TestPriceChanges(t *testing.T) {
	one := "1"
	c := &pricelist.Comparison{Before: "a", Hash: "b", Currency: "USD", Counts: pricelist.ChangeCounts{Changed: 1, Added: 1200, Removed: 30}}
	for i := range 500 {
		c.Changes = append(c.Changes, pricelist.Change{Provider: "p", Model: fmt.Sprintf("added-%d", i), Key: "input_mtok", After: &one})
	}
	for i := range 30 {
		c.Changes = append(c.Changes, pricelist.Change{Provider: "p", Model: fmt.Sprintf("removed-%d", i), Key: "input_mtok", Before: &one})
		c.Rules = append(c.Rules, pricelist.RuleChange{Section: "discounts", Name: fmt.Sprintf("rule-%d", i), Change: "added"})
	}
	c.Changes = append(c.Changes, pricelist.Change{Provider: "p", Model: "changed-0", Key: "input_mtok", Before: &one, After: &one})
	for _, tc := range []struct {
		all                            bool
		added, removed, changed, rules int
		left                           string
	}{
		{false, 20, 20, 1, 20, "not listed: 10 discounts added, 1,180 prices added, 10 prices removed; --all"},
		{true, 500, 30, 1, 30, "not listed: 700 prices added; --all"},
	} {
		var out bytes.Buffer
		if err := PriceChanges(&out, &out, c, tc.all); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for name, want := range map[string]int{"added-": tc.added, "removed-": tc.removed, "changed-": tc.changed, "rule-": tc.rules} {
			if got := strings.Count(text, name); got != want {
				t.Errorf("all %v: %d of %s, want %d", tc.all, got, name, want)
			}
		}
		if !strings.Contains(text, tc.left) || !strings.Contains(text, "prices: 1 changed, 1,200 added, 30 removed") {
			t.Errorf("all %v: want %q:\n%s", tc.all, tc.left, text)
		}
	}
}

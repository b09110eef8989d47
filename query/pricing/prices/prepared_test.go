package prices_test

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"tapedeck/query/pricing/prices"
)

// TestPrepared compares the costs of calls by the prices that were prepared for the first call of
// their cell with those of PriceCell: all but Input and Output is the same text.
func TestPrepared(t *testing.T) {
	again := 0 // costs by the prices of another call
	rapid.Check(t, func(t *rapid.T) {
		e, err := prices.Combine(drawTable(t), drawOperator(t).Prices, drawOperator(t))
		if err != nil {
			t.Fatal(err)
		}
		prepared := map[string]*prices.Prepared{}
		kinds := rapid.SliceOfN(rapid.Custom(drawKind), 1, 3).Draw(t, "kinds")
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			call, used := drawCall(t, kinds)
			if rapid.IntRange(0, 9).Draw(t, "a part too large") == 0 {
				used[prices.CacheReadTokens] = used[prices.InputTokens].Add(decimal.NewFromInt(5))
			}
			cell := prices.Cell{Call: call, InputTokens: used[prices.InputTokens].IntPart(), Calls: 1}
			want, wantErr := e.PriceCell(cell, used)
			key := cellOf(e.Splits(), call, used)
			p, known := prepared[key]
			if !known {
				p, err = e.Prepare(cell)
				if err != nil {
					if wantErr == nil || err.Error() != wantErr.Error() {
						t.Fatalf("Prepare: %v, PriceCell: %v", err, wantErr)
					}
					continue
				}
				prepared[key] = p
			}
			var counts []prices.Count
			for name, n := range used {
				counts = append(counts, prices.Count{Unit: prices.IndexOf(name), N: n.IntPart()})
			}
			got, ok := p.Price(counts, cell.Calls, cell.InputTokens)
			if ok != (wantErr == nil) {
				t.Fatalf("a cost is known: %t; PriceCell: %v", ok, wantErr)
			}
			if !ok {
				continue
			}
			if known && got.Total.IsPositive() {
				again++
			}
			if g, w := describe(got), describe(want); g != w {
				t.Fatalf("%s\nwant %s", g, w)
			}
		}
	})
	if again < 50 {
		t.Errorf("%d costs by the prices of another call", again)
	}
}

// describe returns all of a cost but Input and Output. Pointers are to the values of one table.
func describe(c *prices.Cost) string {
	text := fmt.Sprintf("%p %p %p %q %s %v %v", c.Provider, c.Model, c.Period, c.Rules, c.Total, c.List, c.Contracted)
	for _, l := range c.Lines {
		text += fmt.Sprint("\n", l.Unit.Name, l.Quantity, l.Price, l.List, l.Contracted, l.Cost)
	}
	return text
}

package cost_test

import (
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
)

// Amounts are decimal strings, and one that is not known adds nothing.
func TestMoney(t *testing.T) {
	a := &cost.Money{Amount: decimal.RequireFromString("0.0000000375"), Currency: "USD"}
	text, err := json.Marshal(a)
	if err != nil || string(text) != `{"amount":"0.0000000375","currency":"USD"}` {
		t.Errorf("%s, %v", text, err)
	}
	if sum := cost.Sum(a, &cost.Money{Amount: decimal.RequireFromString("1.5"), Currency: "USD"}); sum.Text() != "1.5000000375" {
		t.Errorf("sum %s", sum.Text())
	}
	if sum := cost.Sum(cost.Sum(nil, a), nil); sum.Text() != "0.0000000375" {
		t.Errorf("sum with what is not known %s", sum.Text())
	}
	if sum := cost.Sum(nil, nil); sum != nil || sum.Text() != "" {
		t.Errorf("sum of nothing %v", sum)
	}
}

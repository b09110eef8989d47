package printers

import (
	"fmt"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

func OrDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// Unknown is printed for a figure that is not reported or not measured.
const Unknown = "–"

func TimeOr(at *time.Time, otherwise string) string {
	if at == nil {
		return otherwise
	}
	return console.LocalTime(*at)
}

// AreFrames returns "1 frame is" or, for example, "7 frames are".
func AreFrames(n uint64) string {
	if n == 1 {
		return "1 frame is"
	}
	return console.Count(n, "frame") + " are"
}

// moreMillis writes a difference of durations.
func moreMillis(ms *float64) string {
	switch {
	case ms == nil:
		return Unknown
	case *ms < 0:
		return "−" + console.Millis(-*ms)
	}
	return "+" + console.Millis(*ms)
}

// signed formats a difference by a sign, which is before the symbol of a currency, and the size of the difference.
func signed(sign int, size string) string {
	return [...]string{"−", "±", "+"}[sign+1] + size
}

func textOr(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// orNone returns a text, or the sign for an unknown one.
func orNone(text *string) string {
	if text == nil {
		return Unknown
	}
	return *text
}

// tokenCount formats a number of tokens, or the sign for an unknown one.
func tokenCount(s cost.UsageTotals, n int64) string {
	if !s.Reported() {
		return Unknown
	}
	return console.Thousands(n)
}

// costText formats a cost, and states how many calls it does not include. With these calls the cost
// would be higher.
func costText(s cost.UsageTotals) string {
	switch {
	case !s.Reported():
		return Unknown
	case s.Cost == nil:
		return "unpriced"
	case s.UnpricedCalls > 0:
		return fmt.Sprintf(">%s (%s unpriced)", money(s.Cost), console.Count(s.UnpricedCalls, "call"))
	}
	return money(s.Cost)
}

// money formats an amount with four decimals, rounded half to even.
func money(m *cost.Money) string { return rounded(m, 4) }

// Cents formats an amount with two decimals, rounded half to even.
func Cents(m *cost.Money) string { return rounded(m, 2) }

func rounded(m *cost.Money, decimals int32) string {
	amount := m.Amount.RoundBank(decimals).StringFixed(decimals)
	if m.Currency == "USD" {
		return "$" + amount
	}
	return amount + " " + m.Currency
}

// millisOf formats milliseconds, and an unknown value as a dash.
func millisOf(ms *float64) string {
	if ms == nil {
		return "–"
	}
	return console.Millis(*ms)
}

// knownCost formats a cost, or the reason why it is not known.
func knownCost(m *cost.Money, unpriced *prices.Reason) string {
	if unpriced != nil {
		return string(*unpriced)
	}
	return knownMoney(m)
}

// knownMoney formats an amount.
func knownMoney(m *cost.Money) string {
	if m == nil {
		return Unknown
	}
	return money(m)
}

// otherCost formats a cost at other prices, and states how many calls it does not include.
func otherCost(m *cost.Money, unpriced uint64) string {
	switch {
	case m == nil && unpriced == 0:
		return Unknown
	case m == nil:
		return "unpriced"
	case unpriced > 0:
		return fmt.Sprintf(">%s (%s unpriced)", money(m), console.Count(unpriced, "call"))
	}
	return money(m)
}

// statedCosts formats the costs that sources state, and, unless all calls state one, how many do.
func statedCosts(list []cost.Stated, calls uint64) string {
	if len(list) == 0 {
		return Unknown
	}
	var sums []string
	for i := range list {
		sum := money(&list[i].Money)
		if list[i].Calls != calls {
			sum += " (" + console.Count(list[i].Calls, "call") + ")"
		}
		sums = append(sums, sum)
	}
	return strings.Join(sums, ", ")
}

package evaluate

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/grouping"
)

// forecastAfter is how much of a month must have passed before the use by its end is projected.
const forecastAfter = 24 * time.Hour

// shownMost bounds the bytes of a tag's name and of its value in a detail.
const shownMost = 100

// Period is a day or a month of a budget.
type Period struct {
	Name     string    // 2026-03-29 or 2026-03
	From, To time.Time // half open, UTC
}

// PeriodAt returns the period of a budget per tag or tenant at a moment.
func PeriodAt(r *rule.Rule, at time.Time) (Period, error) {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return Period{}, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	y, m, d := at.In(zone).Date()
	of := grouping.Daily
	if r.Period == rule.Month {
		of, d = grouping.Monthly, 1
	}
	p, err := of.Period(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), zone)
	if err != nil {
		return Period{}, fmt.Errorf("rule %s: %w", r.Name, err)
	}
	return Period{Name: *p.Name, From: *p.Start, To: *p.End}, nil
}

// Use is what a tag value or a tenant has used in a period.
type Use struct {
	Tenant string
	Value  string // of the tag, or the name of the tenant
	Tokens int64
	Cost   *cost.Money // the known costs; nil for none
}

// OverBudget returns the alert of a budget per tag or tenant that is exceeded at a moment, without a session and a
// stream; nil if it is not exceeded. A moment after the period is taken as its last.
func OverBudget(r *rule.Rule, p Period, u *Use, now time.Time) *Alert {
	if !now.Before(p.To) {
		now = p.To.Add(-1)
	}
	over := exceeded(r, p, u, now)
	if over == "" {
		return nil
	}
	who := fmt.Sprintf("the tenant %q", clipped(u.Value))
	if tag := r.Tag(); tag != "" {
		who = fmt.Sprintf("%s %q", clipped(tag), clipped(u.Value))
	}
	key := BudgetKey(r, p, u.Tenant, u.Value)
	return &Alert{
		ID: hash("alert", key), Rule: r.Name, Kind: r.Kind, Per: &r.Per, Value: &u.Value, Period: &p.Name, Detail: who + " " + over,
		Began: now.UTC(), Tenant: u.Tenant, Key: key,
	}
}

// BudgetKey identifies the episode of a budget: the period of one tag value or tenant.
func BudgetKey(r *rule.Rule, p Period, tenant, value string) string {
	return hash("budget", tenant, r.Name, r.Per, value, r.Zone, p.Name)
}

// exceeded says which budget a use exceeds; "" for none.
func exceeded(r *rule.Rule, p Period, u *Use, now time.Time) string {
	in := fmt.Sprintf("in %s (%s)", p.Name, r.Zone)
	costs := decimal.Zero
	if u.Cost != nil && u.Cost.Currency == r.Currency {
		costs = u.Cost.Amount
	}
	switch {
	case r.Tokens > 0 && u.Tokens > r.Tokens:
		return fmt.Sprintf("used %d tokens %s, more than %d", u.Tokens, in, r.Tokens)
	case r.Cost.IsPositive() && costs.GreaterThan(r.Cost):
		return fmt.Sprintf("cost %s %s %s, more than %s", costs, r.Currency, in, r.Cost)
	}
	elapsed := now.Sub(p.From)
	if !r.Forecast || elapsed < forecastAfter {
		return ""
	}
	whole, part := decimal.NewFromInt(int64(p.To.Sub(p.From))), decimal.NewFromInt(int64(elapsed))
	projected := func(used decimal.Decimal) decimal.Decimal { return used.Mul(whole).DivRound(part, 12) }
	until := now.UTC().Format(time.RFC3339)
	if tokens := projected(decimal.NewFromInt(u.Tokens)); r.Tokens > 0 && tokens.GreaterThan(decimal.NewFromInt(r.Tokens)) {
		return fmt.Sprintf("used %d tokens %s until %s: %s by its end at this rate, more than %d", u.Tokens, in, until, tokens.Floor(), r.Tokens)
	}
	if sum := projected(costs); r.Cost.IsPositive() && sum.GreaterThan(r.Cost) {
		return fmt.Sprintf("cost %s %s %s until %s: %s by its end at this rate, more than %s", costs, r.Currency, in, until, sum.Round(2), r.Cost)
	}
	return ""
}

// clipped shortens a text to shownMost bytes.
func clipped(s string) string {
	if len(s) <= shownMost {
		return s
	}
	cut := s[:shownMost]
	for !utf8.ValidString(cut) && len(cut) > shownMost-utf8.UTFMax {
		cut = cut[:len(cut)-1]
	}
	return strings.ToValidUTF8(cut, "") + "…"
}

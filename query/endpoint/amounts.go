package endpoint

import (
	"math"
	"regexp"
	"time"

	"github.com/shopspring/decimal"
)

// Duration reads a duration of 0 or more in Go's notation; 0 if it is left out.
func (p *Params) Duration(name string) time.Duration {
	v := p.Text(name)
	if v == "" {
		return 0
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		p.Refuse(name, v, "is not a duration", "250ms", "1.5s", "1m30s", "2h")
		return 0
	}
	return d
}

// Durations reads the bounds of a range of durations; 0 for a bound that is left out.
func (p *Params) Durations(least, most string) (low, high time.Duration) {
	low, high = p.Duration(least), p.Duration(most)
	if p.err == nil && high > 0 && high < low {
		p.Refuse(most, p.Value(most), "is shorter than "+least, least+" or longer")
	}
	return low, high
}

// Tokens reads the parameters min_tokens and max_tokens; high is nil if there is no upper bound.
func (p *Params) Tokens() (low int64, high *int64) {
	low = int64(p.Number("min_tokens", 0, 0, math.MaxInt))
	const none = -1
	if most := int64(p.Number("max_tokens", none, 0, math.MaxInt)); most != none {
		high = &most
	}
	if p.err == nil && high != nil && *high < low {
		p.Refuse("max_tokens", p.Value("max_tokens"), "is less than min_tokens", "min_tokens or more")
	}
	return low, high
}

// Costs reads the parameters min_cost and max_cost, decimal numbers; nil for no limit.
func (p *Params) Costs() (low, high *decimal.Decimal) {
	low, high = p.decimal("min_cost"), p.decimal("max_cost")
	if p.err == nil && low != nil && high != nil && high.LessThan(*low) {
		p.Refuse("max_cost", p.Value("max_cost"), "is less than min_cost", "min_cost or more")
	}
	return low, high
}

// amount matches amounts of money in parameters.
var amount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,18})?$`)

func (p *Params) decimal(name string) *decimal.Decimal {
	v := p.Text(name)
	if v == "" {
		return nil
	}
	if !amount.MatchString(v) {
		p.Refuse(name, v, "is not an amount", "a decimal number of at most 18 places, such as 0.05")
		return nil
	}
	d, err := decimal.NewFromString(v)
	if err != nil {
		p.Refuse(name, v, "is not an amount", "a decimal number, such as 0.05")
		return nil
	}
	return &d
}

package opencode

import (
	"github.com/shopspring/decimal"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// currency is the currency of every cost: OpenCode computes costs from prices in US dollars.
const currency = "USD"

// costs sums up the costs of steps. A step without a cost makes the sum unknown.
type costs struct {
	sum     decimal.Decimal
	unknown bool
}

func (c *costs) add(raw []byte, tokens schema.Tokens) {
	step := schema.Usage{Tokens: tokens}
	step.StateCost(dialect.Alias(raw), currency)
	cost, err := decimal.NewFromString(step.Cost)
	if c.unknown = c.unknown || err != nil; !c.unknown {
		c.sum = c.sum.Add(cost)
	}
}

func (c *costs) state(u *schema.Usage) {
	if c.unknown {
		u.Cost, u.Currency = "", ""
		return
	}
	u.StateCost(c.sum.String(), currency)
}

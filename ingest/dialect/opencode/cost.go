package opencode

import (
	"github.com/shopspring/decimal"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// currency is that of every cost: OpenCode computes it from prices in US dollars.
const currency = "USD"

// costs adds up what steps cost. One step without a cost leaves the sum unknown.
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

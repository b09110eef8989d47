package clickhouse

import (
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
)

// billingColumns are the columns of the table usage that hold a schema.Billing.
type billingColumns struct {
	texts  [len(schema.BillingTexts)]func(string)
	counts [len(schema.BillingCounts)]*proto.ColUInt64
}

func (c *billingColumns) addTo(t *table) {
	for i, name := range schema.BillingTexts {
		if schema.IsPlainText(name) {
			c.texts[i] = column(t, name, new(text)).add
		} else {
			c.texts[i] = column(t, name, newWord()).Append
		}
	}
	for i, name := range schema.BillingCounts {
		c.counts[i] = column(t, name, new(proto.ColUInt64))
	}
}

func (c *billingColumns) add(b *schema.Billing) {
	for i, s := range b.Texts() {
		c.texts[i](*s)
	}
	for i, n := range b.Counts() {
		c.counts[i].Append(*n)
	}
}

package focus

import (
	"net/url"
	"strconv"
	"strings"
)

// only returns a value if the condition holds, otherwise null.
func (c *charge) only(condition bool, value string) string {
	if !condition {
		return ""
	}
	return value
}

func serviceProvider(c *charge) string { return c.bill.provider(&c.row).name }

func (c *charge) category() string {
	if c.rounding {
		return "Adjustment"
	}
	return "Usage"
}

func (c *charge) sku() string {
	return skuID(c.bill.provider(&c.row).id, name(c.row.Model), c.row.Unit)
}

func (c *charge) lineID() string {
	return lineID(c.row.Period, c.row.Provider, c.row.Model, c.row.Unit)
}

func (c *charge) region() string { return name(c.row.Region) }

func (c *charge) subAccount() string {
	if key := c.bill.options.SubAccount; key != "" {
		return name(c.row.Tags[key])
	}
	return ""
}

// description returns a readable summary of the charge and its price.
func (c *charge) description() string {
	what := name(c.row.Model) + ": " + strings.ToLower(meter(c.row.Unit))
	if what[0] == ':' {
		what = what[2:]
	}
	if c.rounding {
		return "Rounding of the invoice line " + what
	}
	for _, part := range []struct{ name, value string }{
		{"service tier", c.row.ServiceTier}, {"speed", c.row.Speed}, {"region", c.row.Region},
	} {
		if v := name(part.value); v != "" {
			what += ", " + part.name + " " + v
		}
	}
	if c.above > 0 {
		what += ", above " + strconv.FormatInt(c.above, 10) + " input tokens"
	}
	if c.hasPrice() {
		what += ", " + amount(c.row.Price.Decimal) + " " + c.bill.Currency + " for " + pricingUnit(&c.row)
	}
	if c.correction() {
		what += "; correction of " + c.row.Period
	}
	return what
}

// link returns the URL of the first frame that stated usage of the charge.
func (c *charge) link() string {
	session := name(c.row.SessionID)
	if session == "" {
		return ""
	}
	link := strings.TrimSuffix(c.bill.options.Link, "/") + "/sessions/" + url.PathEscape(session)
	if c.row.Position == "" {
		return link
	}
	return link + "?" + url.Values{"t": {c.row.Position}}.Encode()
}

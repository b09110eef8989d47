package focus

import (
	"net/url"
	"strconv"
	"strings"

	"tapedeck/query/billing/bills"
)

// skuID returns the id of what is priced: a unit of a model of a provider.
func skuID(provider, model, unit string) string {
	return url.PathEscape(provider) + "/" + model + "/" + unit
}

// priceID returns the id of a price of a SKU: the SKU's id and the other conditions of the price.
// It contains neither the amount nor dates, so that it is stable as long as the price is offered.
func (c *charge) priceID() string {
	sku, conditions := c.sku(), url.Values{}
	for name, value := range c.conditions() {
		conditions.Set(name, value)
	}
	if len(conditions) == 0 {
		return sku
	}
	return sku + "?" + conditions.Encode()
}

// priceDetails returns the properties of a price.
func (c *charge) priceDetails() map[string]string {
	r := &c.row
	details := map[string]string{"x_Provider": c.bill.provider(r).id, "x_Model": name(r.Model), "x_Unit": r.Unit}
	for key, value := range c.conditions() {
		details["x_"+key] = value
	}
	return details
}

// conditions returns the conditions of the price besides the model and the unit.
func (c *charge) conditions() map[string]string {
	r, conditions := &c.row, map[string]string{}
	if c.above > 0 {
		conditions["InputTokensAbove"] = strconv.FormatInt(c.above, 10)
	}
	for key, value := range map[string]string{"ServiceTier": r.ServiceTier, "Speed": r.Speed, "Region": r.Region} {
		if value = name(value); value != "" {
			conditions[key] = value
		}
	}
	return conditions
}

// meter returns the display name of a unit, such as "Cache Read Tokens".
func meter(unit string) string {
	words := strings.Split(unit, "_")
	for i, w := range words {
		words[i] = capital(w)
	}
	return strings.Join(words, " ")
}

// measure returns the measurement unit of a unit's quantities, such as "Tokens" or "Searches".
func measure(unit string) string { return capital(unit[strings.LastIndexByte(unit, '_')+1:]) }

// pricingUnit returns the measurement unit of a price, such as "1000000 Tokens".
func pricingUnit(r *bills.Row) string {
	if r.Per == 1 {
		return measure(r.Unit)
	}
	return strconv.FormatInt(r.Per, 10) + " " + measure(r.Unit)
}

func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

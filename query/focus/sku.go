package focus

import (
	"net/url"
	"strconv"
	"strings"

	"tapedeck/query/bills"
)

// skuID names what is priced: a unit of a model of a provider.
func skuID(provider, model, unit string) string {
	return url.PathEscape(provider) + "/" + model + "/" + unit
}

// priceID names a price of a SKU: its id, and on what the price depends besides. It has
// neither the amount nor its dates, so that it is the same as long as the price is offered.
func priceID(sku string, r *bills.Row) string {
	conditions := url.Values{}
	for name, value := range conditionsOf(r) {
		conditions.Set(name, value)
	}
	if len(conditions) == 0 {
		return sku
	}
	return sku + "?" + conditions.Encode()
}

// priceDetails are the properties of a price.
func priceDetails(provider string, r *bills.Row) map[string]string {
	details := map[string]string{"x_Provider": provider, "x_Model": name(r.Model), "x_Unit": r.Unit}
	for key, value := range conditionsOf(r) {
		details["x_"+key] = value
	}
	return details
}

// conditionsOf returns on what a price depends besides the model and the unit.
func conditionsOf(r *bills.Row) map[string]string {
	conditions := map[string]string{}
	for key, value := range map[string]string{"ServiceTier": r.ServiceTier, "Speed": r.Speed, "Region": r.Region} {
		if value = name(value); value != "" {
			conditions[key] = value
		}
	}
	return conditions
}

// meter is the name of a unit for people: "Cache Read Tokens".
func meter(unit string) string {
	words := strings.Split(unit, "_")
	for i, w := range words {
		words[i] = capital(w)
	}
	return strings.Join(words, " ")
}

// measure is the measurement unit of a unit's quantities: "Tokens", "Searches".
func measure(unit string) string { return capital(unit[strings.LastIndexByte(unit, '_')+1:]) }

// pricingUnit is the measurement unit of a price: "1000000 Tokens".
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

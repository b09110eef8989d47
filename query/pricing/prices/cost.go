package prices

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Usage is the quantity of each unit that a call used, by the units' names. A quantity includes
// those of more specific units: input_tokens includes cache_read_tokens.
type Usage map[string]decimal.Decimal

// Call holds the values, besides the usage, on which a price depends. Unknown fields are empty.
type Call struct {
	Provider    string
	Model       string // the model that served the call
	At          time.Time
	Tenant      string
	Tags        map[string]string
	ServiceTier string // the tier that served the call: "batch", "flex", "priority", "standard"
	Speed       string // such as "fast"
	Region      string // where the model ran, such as "us"
}

// Line is the cost of one unit.
type Line struct {
	Unit     Unit
	Quantity decimal.Decimal     // without the quantities of lines of more specific units
	Price    decimal.Decimal     // for Unit.Per
	List     decimal.NullDecimal // list price for Unit.Per; null if the list has no price of this unit
	// Contracted is the price after the operator's own prices and discounts, without margins; null
	// if this unit has none.
	Contracted decimal.NullDecimal
	Cost       decimal.Decimal
}

// Cost is the cost of a call, unrounded.
type Cost struct {
	Provider *Provider // nil if the table has no entry of the call's model
	Model    *Model    // nil if Provider is nil
	Period   *Period   // the list prices that applied; nil if Provider is nil
	Rules    []string  // names of the rules that applied
	Lines    []Line    // units with a quantity, the most specific first
	Input    decimal.Decimal
	Output   decimal.Decimal
	Total    decimal.Decimal // Input, Output, and units that belong to neither
	// List is the total at list prices. Contracted is the total at the operator's own prices and
	// discounts, without margins. Each is null if it is unknown.
	List, Contracted decimal.NullDecimal
}

// Reason is the reason of an unknown cost.
type Reason string

const (
	NoModel Reason = "no_model" // the call states no model
	// UnknownProvider: no entry matches the provider, or the model if no provider is stated.
	UnknownProvider Reason = "unknown_provider"
	UnknownModel    Reason = "unknown_model"      // the provider has no entry that matches the model
	UnitWithoutCost Reason = "unit_without_price" // the model has no price for a unit that was used
	InvalidUsage    Reason = "invalid_usage"      // a part is greater than the quantity that contains it
	UnknownTier     Reason = "unknown_tier"       // no rule has a price for the call's service tier or speed
	NoRate          Reason = "no_rate"            // the price file has no exchange rate for the time of the call
)

// Unpriced is the error that states why a cost is unknown.
type Unpriced struct {
	Reason Reason
	Detail string
}

func (u *Unpriced) Error() string { return u.Detail }

func unpriced(reason Reason, format string, args ...any) error {
	return &Unpriced{reason, fmt.Sprintf(format, args...)}
}

// Find returns the entry of a call's model and the prices that apply at the call's time. The error
// is an *Unpriced.
func (t *Table) Find(call Call) (*Provider, *Model, *Period, error) {
	p, m, err := t.entry(call.Provider, call.Model)
	if err != nil {
		return nil, nil, nil, err
	}
	return p, m, m.Prices.at(call.At), nil
}

// entry returns the entry of a model. The error is an *Unpriced.
func (t *Table) entry(provider, model string) (*Provider, *Model, error) {
	name := strings.ToLower(strings.TrimSpace(model))
	if name == "" {
		return nil, nil, unpriced(NoModel, "the call states no model")
	}
	p := t.provider(provider, name)
	if p == nil {
		if provider == "" {
			return nil, nil, unpriced(UnknownProvider, "no provider is stated, and none is known by the model %q",
				model)
		}
		return nil, nil, unpriced(UnknownProvider, "the price table has no provider %q", provider)
	}
	m := t.model(p, name)
	if m == nil {
		return nil, nil, unpriced(UnknownModel, "the price table has no model %q of %s", model, p.ID)
	}
	return p, m, nil
}

// Price computes the cost of a call. The error is an *Unpriced.
func (t *Table) Price(call Call, used Usage) (*Cost, error) {
	p, m, period, err := t.Find(call)
	if err != nil {
		return nil, err
	}
	cost, err := period.Prices.cost(used, single(used))
	if err != nil {
		return nil, err
	}
	cost.Provider, cost.Model, cost.Period = p, m, period
	return cost, nil
}

// count describes the number of calls in the priced usage.
type count struct {
	calls       decimal.Decimal
	inputTokens decimal.Decimal // input tokens per call, as tiers count them
}

// single returns the count of one call.
func single(used Usage) count { return count{decimal.NewFromInt(1), used[InputTokens]} }

// cost prices usage. The priced quantity of a unit is its usage minus the quantities of more
// specific units that have prices.
func (s Set) cost(used Usage, of count) (*Cost, error) {
	if err := s.covers(used); err != nil {
		return nil, err
	}
	cost := &Cost{}
	priced := s.units()
	for i, unit := range priced {
		quantity := used[unit.Name]
		if unit.Name == Requests {
			quantity = of.calls
		}
		for _, line := range cost.Lines {
			if line.Unit.dims.within(unit.dims) {
				quantity = quantity.Sub(line.Quantity)
			}
		}
		if quantity.IsNegative() {
			return nil, unpriced(InvalidUsage, "the parts of %s exceed it by %s: %s",
				unit.Name, quantity.Neg(), strings.Join(names(priced[:i], used, unit), ", "))
		}
		if quantity.IsZero() {
			continue
		}
		price := s[unit.PriceKey]
		line := Line{Unit: unit, Quantity: quantity, Price: price.at(of.inputTokens)}
		line.Cost = unit.Of(quantity.Mul(line.Price))
		cost.Lines = append(cost.Lines, line)
		switch unit.dims.direction {
		case "input":
			cost.Input = cost.Input.Add(line.Cost)
		case "output":
			cost.Output = cost.Output.Add(line.Cost)
		}
		cost.Total = cost.Total.Add(line.Cost)
	}
	return cost, nil
}

// total returns the total cost; null if the set is nil or lacks a price for a used unit.
func (s Set) total(used Usage, of count) (decimal.NullDecimal, error) {
	if s == nil {
		return decimal.NullDecimal{}, nil
	}
	cost, err := s.cost(used, of)
	if why, ok := errors.AsType[*Unpriced](err); ok && why.Reason == UnitWithoutCost {
		return decimal.NullDecimal{}, nil
	} else if err != nil {
		return decimal.NullDecimal{}, err
	}
	return decimal.NewNullDecimal(cost.Total), nil
}

// Of divides the cost of Per units by Per. The result is exact except for hours: their quotient may
// have no finite decimal form and is rounded to hourScale decimals.
func (u Unit) Of(cost decimal.Decimal) decimal.Decimal {
	switch u.Per {
	case 1e3:
		return cost.Shift(-3)
	case 1e6:
		return cost.Shift(-6)
	case 1e9:
		return cost.Shift(-9)
	}
	return cost.DivRound(decimal.NewFromInt(u.Per), hourScale)
}

const hourScale = 28

// units returns the units that have a price, the most specific first.
func (s Set) units() []Unit {
	priced := make([]Unit, 0, len(s))
	for _, u := range Units {
		if _, ok := s[u.PriceKey]; ok {
			priced = append(priced, u)
		}
	}
	return priced
}

// covers returns an error unless every used unit is priced by itself or by a unit that contains it.
func (s Set) covers(used Usage) error {
	for _, name := range slices.Sorted(maps.Keys(used)) {
		unit, ok := unitsByName[name]
		if !ok {
			return unpriced(InvalidUsage, "there is no unit %q", name)
		}
		if used[name].IsNegative() {
			return unpriced(InvalidUsage, "%s is %s", name, used[name])
		}
		if used[name].IsZero() || !unit.chargeable() {
			continue
		}
		if !s.covered(unit) || s.ambiguous(unit) {
			return unpriced(UnitWithoutCost, "the model has no price for %s", name)
		}
	}
	return nil
}

// ambiguous reports whether two priced units contain an unpriced unit and neither contains the
// other: for example, audio tokens from a cache are contained in both audio tokens and cached
// tokens.
func (s Set) ambiguous(unit Unit) bool {
	var nearest []dims
	for key := range s {
		of := unitsByPriceKey[key].dims
		if !unit.dims.within(of) || slices.ContainsFunc(nearest, func(n dims) bool { return n.within(of) }) {
			continue
		}
		nearest = append(slices.DeleteFunc(nearest, of.within), of)
	}
	return len(nearest) > 1
}

// covered reports whether a unit or a unit that contains it has a price.
func (s Set) covered(unit Unit) bool {
	for key := range s {
		if unit.dims.within(unitsByPriceKey[key].dims) {
			return true
		}
	}
	return false
}

// chargeable reports whether usage of a unit without a price makes a cost unknown. Tools that a
// provider runs are free if the provider lists no price.
func (u Unit) chargeable() bool { return u.dims.family != "tools" && u.dims.family != "requests" }

// names returns the names of the used units within outer.
func names(units []Unit, used Usage, outer Unit) (list []string) {
	for _, u := range units {
		if u.dims.within(outer.dims) && !used[u.Name].IsZero() {
			list = append(list, u.Name)
		}
	}
	return list
}

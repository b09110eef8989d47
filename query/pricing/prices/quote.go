package prices

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Quote holds the prices of a call and their origin. All prices are in the currency of the
// effective table.
type Quote struct {
	Provider *Provider // nil if the table has no entry of the call's model
	Model    *Model    // nil if Provider is nil
	Period   *Period   // nil if Provider is nil
	Rules    []string  // names of the applied rules, in their order

	List       Set // from the table and the overlay; nil if they have no price
	Contracted Set // List after the operator's own prices and discounts
	Charged    Set // Contracted after the operator's margins

	changed bool // one of the operator's rules applied; otherwise the three sets are equal
}

// Quote returns the prices of a call with this many input tokens, including cache tokens. The error
// is an *Unpriced.
func (e *Effective) Quote(call Call, inputTokens int64) (*Quote, error) {
	return e.quote(call, decimal.NewFromInt(inputTokens))
}

func (e *Effective) quote(call Call, input decimal.Decimal) (*Quote, error) {
	q := &Quote{}
	s, of := e.subject(call, input)
	unknown := of.err
	set := Set{}
	if unknown == nil {
		q.Provider, q.Model, q.Period = of.provider, of.model, of.model.Prices.at(call.At)
		maps.Copy(set, q.Period.Prices)
	}
	// special marks the properties of the call that list prices do not cover unless a rule does.
	special := map[*string]bool{&s.ServiceTier: !isStandard(s.ServiceTier), &s.Speed: !isStandard(s.Speed)}
	apply := func(r *Rule) {
		if len(r.Scope.ServiceTier) > 0 {
			special[&s.ServiceTier] = false
		}
		if len(r.Scope.Speed) > 0 {
			special[&s.Speed] = false
		}
		if len(r.Prices) > 0 {
			unknown = nil
		}
		r.apply(set)
		q.Rules = append(q.Rules, r.Name)
	}
	for i := range e.content.Overlay {
		if r := &e.content.Overlay[i]; r.Scope.holds(s) {
			apply(r)
		}
	}
	o := e.content.Operator
	if unknown == nil {
		rate, ok := o.rate(call.At)
		if !ok {
			return nil, unpriced(NoRate, "the price file has no rate of %s at %s", o.Currency,
				call.At.UTC().Format("2006-01-02"))
		}
		if e.Currency() != dollar {
			(&Rule{Factor: &rate}).apply(set)
		}
		if !special[&s.ServiceTier] && !special[&s.Speed] {
			q.List = maps.Clone(set)
		}
	}
	if o != nil {
		for i := range o.Prices {
			if r := &o.Prices[i]; r.Scope.holds(s) {
				apply(r)
				q.changed = true
			}
		}
	}
	switch {
	case unknown != nil:
		return nil, unknown
	case special[&s.ServiceTier]:
		return nil, unpriced(UnknownTier, "there is no price of %s in the service tier %q", call.Model,
			call.ServiceTier)
	case special[&s.Speed]:
		return nil, unpriced(UnknownTier, "there is no price of %s at the speed %q", call.Model, call.Speed)
	}
	q.Contracted = set
	if o != nil {
		q.factors(o.Discounts, q.Contracted, s)
		q.Charged = maps.Clone(q.Contracted)
		q.factors(o.Margins, q.Charged, s)
	} else {
		q.Charged = q.Contracted
	}
	return q, nil
}

// subject returns a call in the form that scopes match, and the entry of its model.
func (e *Effective) subject(call Call, input decimal.Decimal) (*subject, entry) {
	s := &subject{Call: call, input: input}
	s.ServiceTier, s.refusal = refusalOf(call.ServiceTier)
	of := e.entries.entry(e.content.Table, call.Provider, call.Model)
	if of.err == nil {
		s.providerID, s.modelID = of.provider.ID, of.model.ID
		if of.moved {
			s.Provider = of.provider.ID // rules for the stated maker do not apply to the service
		}
	}
	return s, of
}

// factors multiplies each price by the factor of the last rule that matches the call and the price.
func (q *Quote) factors(rules []Rule, set Set, s *subject) {
	used := make([]bool, len(rules))
	for key, price := range set {
		for i := len(rules) - 1; i >= 0; i-- {
			if r := &rules[i]; r.affects(key) && r.Scope.holds(s) {
				set[key], used[i] = price.times(*r.Factor), true
				break
			}
		}
	}
	for i := range rules {
		if used[i] {
			q.Rules = append(q.Rules, rules[i].Name)
			q.changed = true
		}
	}
}

// standard lists the words that sources use for the tier and speed of list prices.
var standard = []string{"", "standard", "default", "on_demand", "on-demand"}

func isStandard(word string) bool {
	return slices.Contains(standard, strings.ToLower(strings.TrimSpace(word)))
}

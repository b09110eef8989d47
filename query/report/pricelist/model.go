package pricelist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
)

// Model is everything that the effective table has about a model.
type Model struct {
	Head
	At       time.Time `json:"at"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"` // id in the table; the requested name if only rules have prices for it
	Name     string    `json:"name"`
	// Prices are the prices of calls, by rules with conditions on provider, model, tenant and date
	// only.
	Prices  []UnitPrice `json:"prices"`
	Periods []Period    `json:"periods"` // list prices in US dollars; the last one that holds applies
	Rules   []Rule      `json:"rules"`   // rules that may apply to the tenant's calls, in their order
}

// Period is a set of list prices with its constraint.
type Period struct {
	StartDate *string     `json:"start_date"` // from midnight in UTC; null if there is none
	StartTime *string     `json:"start_time"` // null if there is none
	EndTime   *string     `json:"end_time"`
	Weekdays  []string    `json:"weekdays"` // in UTC, mon to sun; empty for every day
	Prices    []UnitPrice `json:"prices"`
	Holds     bool        `json:"holds"` // whether it applies at the time of the answer
}

// Rule is a rule of the overlay or of the operator's price file.
type Rule struct {
	Section string         `json:"section"` // overlay, prices, discounts, margins
	Name    string         `json:"name"`
	When    prices.Scope   `json:"when"`
	Prices  []UnitPrice    `json:"prices"`
	Whole   bool           `json:"whole"`
	Factor  *string        `json:"factor"`
	Units   []string       `json:"units"`
	Source  *prices.Origin `json:"source"`
}

// ModelOf returns what a version of the table has about a model. provider may be "".
func ModelOf(v *pricetables.Version, tenant, provider, model string, at time.Time) (*Model, error) {
	e := v.Table
	m := &Model{Head: headOf(v), At: at, Provider: provider, Model: model, Prices: []UnitPrice{}, Periods: []Period{},
		Rules: []Rule{}}
	call := prices.Call{Provider: provider, Model: model, At: at, Tenant: tenant}
	p, entry, held, unknown := e.Find(call)
	if unknown == nil {
		m.Provider, m.Model, m.Name = p.ID, entry.ID, entry.Name
		for i := range entry.Prices {
			m.Periods = append(m.Periods, periodOf(&entry.Prices[i], held == &entry.Prices[i]))
		}
	}
	q, err := e.Quote(call, 0)
	if err == nil {
		m.Prices = unitPrices(q.List, q.Charged)
	} else if unknown != nil {
		return nil, notFound(e, provider, model, err)
	}
	m.addRules(tenant, "overlay", e.Overlay(), model)
	if o := e.Operator(); o != nil {
		m.addRules(tenant, "prices", o.Prices, model)
		m.addRules(tenant, "discounts", o.Discounts, model)
		m.addRules(tenant, "margins", o.Margins, model)
	}
	return m, nil
}

func periodOf(p *prices.Period, holds bool) Period {
	return Period{
		StartDate: orNull(p.Constraint.StartDate), StartTime: orNull(p.Constraint.StartTime),
		EndTime: orNull(p.Constraint.EndTime), Weekdays: append([]string{}, p.Constraint.Weekdays...),
		Prices: unitPrices(p.Prices, p.Prices), Holds: holds,
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// addRules adds the rules that may match calls of a tenant.
func (m *Model) addRules(tenant, section string, rules []prices.Rule, asked string) {
	for i := range rules {
		r := &rules[i]
		if !r.Scope.MayHold(m.Provider, asked, m.Model) ||
			len(r.Scope.Tenant) > 0 && !slices.Contains(r.Scope.Tenant, tenant) {
			continue
		}
		shown := ruleOf(section, r)
		if len(r.Scope.Tenant) > 0 { // do not disclose the names of other tenants
			shown.When.Tenant = []string{tenant}
		}
		m.Rules = append(m.Rules, shown)
	}
}

func ruleOf(section string, r *prices.Rule) Rule {
	rule := Rule{Section: section, Name: r.Name, When: r.Scope, Prices: unitPrices(nil, r.Prices), Whole: r.Whole,
		Units: r.Units, Source: r.Origin}
	if rule.Units == nil {
		rule.Units = []string{}
	}
	if r.Factor != nil {
		text := r.Factor.String()
		rule.Factor = &text
	}
	return rule
}

func notFound(e *prices.Effective, provider, model string, err error) error {
	why, ok := errors.AsType[*prices.Unpriced](err)
	if !ok {
		return err
	}
	p := problem.NotFound(strings.ToUpper(why.Detail[:1]) + why.Detail[1:] + ".")
	if near := nearest(e, provider, model); len(near) > 0 {
		p.Hint = fmt.Sprintf("Most like it are %s.", strings.Join(near, ", "))
	}
	return p
}

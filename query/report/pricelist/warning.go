package pricelist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
)

// Warning reports a provider or model in a price file that neither the price table nor recorded
// usage has, so that the rule may match no call.
type Warning struct {
	Field   string   `json:"field"` // such as discounts[2].model; indices count from 0
	Value   string   `json:"value"`
	Detail  string   `json:"detail"`
	Nearest []string `json:"nearest"` // similar ids of the price table
}

// maxWarnings bounds the warnings of a comparison.
const maxWarnings = 100

// Used is a model under the names in usage.
type Used struct{ Provider, Model string }

// usedModels returns the models in a tenant's usage.
func usedModels(ctx context.Context, r *query.Reader, tenant string) ([]Used, error) {
	rows, err := query.Ask[usedRow](ctx, r, statements, "models_used", nil,
		query.Args{"tenant": tenant, "limit": maxUsed})
	list := make([]Used, len(rows))
	for i := range rows {
		list[i] = Used{rows[i].Provider, rows[i].Model}
	}
	return list, err
}

// Warn returns the warnings about a price file, at most maxWarnings.
func Warn(o *prices.Operator, used []Used) []Warning {
	w := warner{table: prices.Standard(), used: used, list: []Warning{}}
	w.names = names(w.table)
	if o == nil {
		return w.list
	}
	for _, s := range []struct {
		name  string
		rules []prices.Rule
	}{{"prices", o.Prices}, {"discounts", o.Discounts}, {"margins", o.Margins}} {
		for i := range s.rules {
			w.rule(fmt.Sprintf("%s[%d]", s.name, i), &s.rules[i].Scope)
		}
	}
	for i := range o.Plans {
		w.rule(fmt.Sprintf("plans[%d]", i), &o.Plans[i].Scope)
	}
	return w.list[:min(len(w.list), maxWarnings)]
}

// warner checks the rules and plans of a price file against the price table of the program.
type warner struct {
	table *prices.Effective
	names []name
	used  []Used
	list  []Warning
}

func (w *warner) rule(path string, s *prices.Scope) {
	known := true
	for i, p := range s.Provider {
		if !w.isProvider(p) {
			known = false
			w.add(path, "provider", i, s.Provider, "is no provider of the price table", w.nearestProviders(p))
		}
	}
	if !known {
		return
	}
	for i, m := range s.Model {
		if w.isModel(s.Provider, m) {
			continue
		}
		provider := ""
		if len(s.Provider) == 1 {
			provider = s.Provider[0]
		}
		w.add(path, "model", i, s.Model, "is no model of the price table",
			nearest(w.table, provider, strings.ReplaceAll(m, "*", "")))
	}
}

func (w *warner) add(path, name string, i int, of []string, what string, near []string) {
	field := path + "." + name
	if len(of) > 1 {
		field += fmt.Sprintf("[%d]", i)
	}
	w.list = append(w.list,
		Warning{Field: field, Value: of[i], Detail: fmt.Sprintf("%q %s, and no recorded usage names it", of[i], what),
			Nearest: near})
}

// isProvider reports whether the table or usage has a provider that matches a pattern.
func (w *warner) isProvider(pattern string) bool {
	scope := prices.Scope{Provider: []string{pattern}}
	return slices.ContainsFunc(w.names, func(n name) bool { return scope.MayHold(n.provider, "", "") }) ||
		slices.ContainsFunc(w.used, func(u Used) bool { return scope.MayHold(u.Provider, "", "") }) ||
		w.reason(pattern, "any") != prices.UnknownProvider
}

// isModel reports whether the table or usage has a model that matches a pattern, of any of the
// providers, or of any provider if the list is empty.
func (w *warner) isModel(providers []string, pattern string) bool {
	scope := prices.Scope{Provider: providers, Model: []string{pattern}}
	if slices.ContainsFunc(w.names, func(n name) bool { return scope.MayHold(n.provider, n.model, "") }) ||
		slices.ContainsFunc(w.used, func(u Used) bool {
			return scope.MayHold(u.Provider, u.Model, "") ||
				u.Provider == "" && (&prices.Scope{Model: scope.Model}).MayHold("", u.Model, "")
		}) {
		return true
	}
	if strings.Contains(pattern, "*") {
		return false
	}
	if len(providers) == 0 {
		providers = []string{""}
	}
	return slices.ContainsFunc(providers, func(p string) bool {
		why := w.reason(p, pattern)
		return why != prices.UnknownProvider && why != prices.UnknownModel
	})
}

// reason returns why the table has no prices for a model; "" if it has prices.
func (w *warner) reason(provider, model string) prices.Reason {
	_, err := w.table.Quote(prices.Call{Provider: provider, Model: model}, 0)
	if why, ok := errors.AsType[*prices.Unpriced](err); ok {
		return why.Reason
	}
	return ""
}

func (w *warner) nearestProviders(name string) []string {
	ids := make([]string, len(w.names))
	for i := range w.names {
		ids[i] = w.names[i].provider
	}
	return prices.Nearest(strings.ReplaceAll(name, "*", ""), slices.Compact(ids), maxNearest)
}

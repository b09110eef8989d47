// Package pricelist shows the effective price table: its models, the history of one model, used
// models without a price, and the effect of a price file.
package pricelist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
)

var statements = query.Statements("report/pricelist")

// Head describes the price table of an answer.
type Head struct {
	Hash       string         `json:"hash"`
	Currency   string         `json:"currency"`
	Source     prices.Release `json:"source"` // source of the list prices
	FileName   *string        `json:"file_name"`
	ImportedAt *time.Time     `json:"imported_at"` // null if no file is imported or the table is not the current one
}

func headOf(v *pricetables.Version) Head {
	h := Head{Hash: v.Table.Hash(), Currency: v.Table.Currency(), Source: v.Table.Table().Source}
	if v.FileName != "" {
		h.FileName, h.ImportedAt = &v.FileName, &v.ImportedAt
	}
	return h
}

// List is a page of the effective price table.
type List struct {
	Head
	At        time.Time   `json:"at"` // the prices apply at this time
	Items     []Entry     `json:"items"`
	Next      *string     `json:"next"`
	Used      []Entry     `json:"used"`      // the filter's models that usage names, the last used first; on the first page
	Unmatched []Unmatched `json:"unmatched"` // likewise
	Inexact   []Inexact   `json:"inexact"`   // likewise
}

// Entry is a model of the table.
type Entry struct {
	Provider   string      `json:"provider"`
	Model      string      `json:"model"`
	Name       string      `json:"name"`
	Deprecated bool        `json:"deprecated"`
	Prices     []UnitPrice `json:"prices"` // by rules with conditions on provider, model, tenant and date only
}

// UnitPrice is the price of a unit. Amounts are decimal numbers.
type UnitPrice struct {
	Unit  string      `json:"unit"`
	Key   string      `json:"price_key"`
	Per   int64       `json:"per"`        // number of units that a price is for
	List  *string     `json:"list_price"` // null if there is no list price
	Price string      `json:"price"`
	Tiers []TierPrice `json:"tiers"`
}

// TierPrice is the price of a unit in calls with more input tokens than Above.
type TierPrice struct {
	Above int64  `json:"above_input_tokens"`
	Price string `json:"price"`
}

// unitPrices lists the prices of a set in the order of the units' names.
func unitPrices(list, charged prices.Set) []UnitPrice {
	all := make([]UnitPrice, 0, len(charged))
	for _, u := range prices.Units {
		p, ok := charged[u.PriceKey]
		if !ok {
			continue
		}
		unit := UnitPrice{Unit: u.Name, Key: u.PriceKey, Per: u.Per, Price: p.Base.String(), Tiers: []TierPrice{}}
		if l, ok := list[u.PriceKey]; ok {
			text := l.Base.String()
			unit.List = &text
		}
		for _, t := range p.Tiers {
			unit.Tiers = append(unit.Tiers, TierPrice{t.Start, t.Price.String()})
		}
		all = append(all, unit)
	}
	slices.SortStableFunc(all, func(a, b UnitPrice) int { return cmp.Compare(rank(a.Key), rank(b.Key)) })
	return all
}

// rank sorts the units that nearly every model has to the front.
func rank(key string) int {
	if i := slices.Index([]string{"input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_5m_mtok",
		"cache_write_1h_mtok", "output_mtok"}, key); i >= 0 {
		return i
	}
	return 6
}

// name identifies a model of the table or of a rule.
type name struct {
	provider, model string
	entry           *prices.Model // nil if only a rule names it
}

// names lists all models that have an entry in the table, or prices by a rule that names the model
// without wildcards.
func names(e *prices.Effective) []name {
	var list []name
	known := map[string]bool{}
	for i := range e.Table().Providers {
		p := &e.Table().Providers[i]
		for j := range p.Models {
			list = append(list, name{p.ID, p.Models[j].ID, &p.Models[j]})
			known[p.ID+"/"+strings.ToLower(p.Models[j].ID)] = true
		}
	}
	rules := e.Overlay()
	if o := e.Operator(); o != nil {
		rules = slices.Concat(rules, o.Prices)
	}
	for _, r := range rules {
		if len(r.Prices) == 0 {
			continue
		}
		for _, p := range r.Scope.Provider {
			for _, m := range r.Scope.Model {
				key := p + "/" + strings.ToLower(m)
				if !strings.Contains(p+m, "*") && !known[key] {
					known[key] = true
					list = append(list, name{provider: p, model: m})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b name) int {
		return cmp.Compare(a.provider+"/"+a.model, b.provider+"/"+b.model)
	})
	return list
}

// checkProvider returns an error if the table has no models of a provider.
func checkProvider(e *prices.Effective, provider string) error {
	if provider == "" {
		return nil
	}
	var ids []string
	for _, n := range names(e) {
		if strings.EqualFold(n.provider, provider) {
			return nil
		}
		ids = append(ids, n.provider)
	}
	return problem.BadParameter("provider", fmt.Sprintf("provider %q has no models in the price table.", provider),
		slices.Compact(ids)...)
}

// Filter selects models.
type Filter struct {
	Provider string // id of the provider
	Model    string // part of the model's id
	After    string // "provider/model" after which the page begins
	Limit    int
}

// has reports whether the filter selects a model.
func (f *Filter) has(provider, model string) bool {
	return (f.Provider == "" || strings.EqualFold(provider, f.Provider)) &&
		strings.Contains(strings.ToLower(model), strings.ToLower(f.Model))
}

// entries lists the models of a table at a time, and reports whether there are more.
func entries(e *prices.Effective, tenant string, at time.Time, f Filter) (items []Entry, more bool) {
	items = []Entry{}
	for _, n := range names(e) {
		if !f.has(n.provider, n.model) || f.After != "" && n.provider+"/"+n.model <= f.After {
			continue
		}
		if len(items) == f.Limit {
			return items, true
		}
		items = append(items, entryOf(e, n, tenant, at))
	}
	return items, false
}

func entryOf(e *prices.Effective, n name, tenant string, at time.Time) Entry {
	entry := Entry{Provider: n.provider, Model: n.model, Prices: []UnitPrice{}}
	if n.entry != nil {
		entry.Name, entry.Deprecated = n.entry.Name, n.entry.Deprecated
	}
	if q, err := e.Quote(prices.Call{Provider: n.provider, Model: n.model, At: at, Tenant: tenant}, 0); err == nil {
		entry.Prices = unitPrices(q.List, q.Charged)
	}
	return entry
}

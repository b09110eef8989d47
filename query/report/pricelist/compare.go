package pricelist

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"tapedeck/query/pricing/prices"
)

// Comparison lists the differences between two price tables.
type Comparison struct {
	Before   string `json:"previous_hash"`
	Hash     string `json:"hash"`
	Currency string `json:"currency"`
	// Source and PreviousSource are where the list prices of the two tables are from.
	Source         prices.Release `json:"source"`
	PreviousSource prices.Release `json:"previous_source"`
	DryRun         bool           `json:"dry_run"` // nothing was imported
	// Changes are prices of calls at the time of the answer that no condition of a rule holds
	// for but provider, model and tenant. More is the number of those that are left out, Counts of all.
	Changes []Change     `json:"changes"`
	More    int          `json:"more_changes"`
	Counts  ChangeCounts `json:"change_counts"`
	Rules   []RuleChange `json:"rules"`
	// Warnings are about the price file. They do not prevent its import.
	Warnings []Warning `json:"warnings"`
}

// Change is a price whose amount or currency differs.
type Change struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Key      string  `json:"price_key"`
	Before   *string `json:"before"` // null if there was none
	After    *string `json:"after"`  // null if there is none
}

// Kind returns what became of the price.
func (c *Change) Kind() ChangeKind {
	switch {
	case c.Before == nil:
		return Added
	case c.After == nil:
		return Removed
	}
	return Changed
}

// ChangeKind is what became of a price.
type ChangeKind int

// The kinds of changes.
const (
	Changed ChangeKind = iota
	Added
	Removed
	changeKinds
)

// ChangeCounts counts changes by kind.
type ChangeCounts struct {
	Changed int `json:"changed"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Of returns the number of changes of a kind.
func (c *ChangeCounts) Of(kind ChangeKind) int { return [...]int{c.Changed, c.Added, c.Removed}[kind] }

// RuleChange is a rule, an account or a plan that only one of two price files has.
type RuleChange struct {
	Section string `json:"section"` // of the price file
	Name    string `json:"name"`
	Change  string `json:"change"` // added or removed
}

// maxChanges bounds the changed prices of each kind in an answer.
const maxChanges = 500

// Compare compares the prices of two tables at one time.
func Compare(before, after *prices.Effective, tenant string, at time.Time) *Comparison {
	c := &Comparison{
		Before: before.Hash(), Hash: after.Hash(), Currency: after.Currency(),
		Source: after.Table().Source, PreviousSource: before.Table().Source,
		Changes: []Change{}, Rules: []RuleChange{}, Warnings: []Warning{},
	}
	if c.Before == c.Hash {
		return c
	}
	all := map[string]name{}
	order := []string{}
	for _, n := range append(names(before), names(after)...) {
		key := n.provider + "/" + n.model
		if _, ok := all[key]; !ok {
			all[key] = n
			order = append(order, key)
		}
	}
	other := before.Currency() != after.Currency()
	for _, key := range order {
		n := all[key]
		call := prices.Call{Provider: n.provider, Model: n.model, At: at, Tenant: tenant}
		old, now := charged(before, call), charged(after, call)
		for _, u := range prices.Units {
			was, is := text(old, u.PriceKey), text(now, u.PriceKey)
			if was == nil && is == nil || was != nil && is != nil && *was == *is && !other {
				continue
			}
			c.Changes = append(c.Changes, Change{n.provider, n.model, u.PriceKey, was, is})
		}
	}
	c.rules(before.Operator(), after.Operator())
	return c
}

// CompareAll is Compare with the counts of the changes.
func CompareAll(before, after *prices.Effective, tenant string, at time.Time) *Comparison {
	c := Compare(before, after, tenant, at)
	c.bound(math.MaxInt)
	return c
}

// bound counts the changes and leaves out those of each kind after the first most.
func (c *Comparison) bound(most int) {
	var counts [changeKinds]int
	kept := []Change{}
	for i := range c.Changes {
		kind := c.Changes[i].Kind()
		if counts[kind]++; counts[kind] <= most {
			kept = append(kept, c.Changes[i])
		}
	}
	c.Counts = ChangeCounts{counts[Changed], counts[Added], counts[Removed]}
	c.Changes, c.More = kept, len(c.Changes)-len(kept)
}

func charged(e *prices.Effective, call prices.Call) prices.Set {
	q, err := e.Quote(call, 0)
	if err != nil {
		return nil
	}
	return q.Charged
}

// text returns a price with its tiers as text; nil if there is none.
func text(set prices.Set, key string) *string {
	p, ok := set[key]
	if !ok {
		return nil
	}
	s := p.Base.String()
	for _, t := range p.Tiers {
		s += fmt.Sprintf("; %s above %d input tokens", t.Price, t.Start)
	}
	return &s
}

func (c *Comparison) rules(before, after *prices.Operator) {
	sections := func(o *prices.Operator) map[string][]prices.Rule {
		if o == nil {
			return nil
		}
		return map[string][]prices.Rule{"prices": o.Prices, "discounts": o.Discounts, "margins": o.Margins}
	}
	old, now := sections(before), sections(after)
	for _, section := range []string{"prices", "discounts", "margins"} {
		c.missing(section, "removed", old[section], now[section])
		c.missing(section, "added", now[section], old[section])
	}
	was, are := accounts(before), accounts(after)
	c.otherAccounts("removed", was, are)
	c.otherAccounts("added", are, was)
	had, has := plans(before), plans(after)
	c.otherPlans("removed", had, has)
	c.otherPlans("added", has, had)
}

func accounts(o *prices.Operator) []prices.Account {
	if o == nil {
		return nil
	}
	return o.Accounts
}

// otherAccounts adds the accounts that are missing or different in others. An account is named by
// its tag, or "tenant".
func (c *Comparison) otherAccounts(change string, list, others []prices.Account) {
	for _, a := range list {
		same := func(o prices.Account) bool { return reflect.DeepEqual(a, o) }
		if !slices.ContainsFunc(others, same) {
			c.Rules = append(c.Rules, RuleChange{"accounts", cmp.Or(a.Tag, "tenant"), change})
		}
	}
}

func plans(o *prices.Operator) []prices.Plan {
	if o == nil {
		return nil
	}
	return o.Plans
}

// otherPlans adds the plans that are missing or different in others.
func (c *Comparison) otherPlans(change string, list, others []prices.Plan) {
	known := map[string]bool{}
	for i := range others {
		known[content(&others[i])] = true
	}
	for i := range list {
		if !known[content(&list[i])] {
			c.Rules = append(c.Rules, RuleChange{"plans", list[i].Name, change})
		}
	}
}

// missing adds the rules that are missing or different in others.
func (c *Comparison) missing(section, change string, rules, others []prices.Rule) {
	known := map[string]bool{}
	for i := range others {
		known[content(&others[i])] = true
	}
	for i := range rules {
		if !known[content(&rules[i])] {
			c.Rules = append(c.Rules, RuleChange{section, rules[i].Name, change})
		}
	}
}

// content returns a text that is equal for equal rules, and for equal plans.
func content(of any) string {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	return string(text)
}

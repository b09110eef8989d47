package prices

import (
	"maps"
	"slices"
	"time"

	"golang.org/x/text/currency"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"
)

// ReadFile reads an operator's price file. Errors are FileErrors and contain the name.
func ReadFile(name string, text []byte) (*Operator, error) {
	r := &fileReader{file: name}
	o := &Operator{Currency: dollar}
	if top := r.document(string(text)); top != nil {
		rates, plans := &yaml.Node{Line: top.Line}, &yaml.Node{}
		r.fields(top, "", map[string]field{
			"currency":  func(n *yaml.Node, path string) { o.Currency = r.currency(n, path) },
			"rates":     func(n *yaml.Node, path string) { rates = n; o.Rates = r.readRates(n, path) },
			"prices":    func(n *yaml.Node, path string) { o.Prices = r.readRules(n, path, ownPrices) },
			"discounts": func(n *yaml.Node, path string) { o.Discounts = r.readRules(n, path, factors) },
			"margins":   func(n *yaml.Node, path string) { o.Margins = r.readRules(n, path, factors) },
			"accounts":  func(n *yaml.Node, path string) { o.Accounts = r.readAccounts(n, path) },
			"plans":     func(n *yaml.Node, path string) { plans = n; o.Plans = r.readPlans(n, path) },
		})
		switch {
		case o.Currency == dollar && len(o.Rates) > 0:
			r.fail(rates, "rates",
				"rates are prices of a US dollar in another currency; leave them out, or set currency")
		case o.Currency != dollar && len(o.Rates) == 0:
			r.fail(rates, "rates",
				"list prices are in US dollars; write the price of one dollar in %s, "+
					"as \"- {from: 2026-01-01, usd: 0.92}\"", o.Currency)
		}
		if len(r.errors) == 0 {
			r.planCurrencies(plans, o)
		}
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	return o, nil
}

// StatesNothing reports whether a price file is valid and has no field, as one that is empty, has only
// comments, or was cut off.
func StatesNothing(text []byte) bool {
	r := &fileReader{}
	top := r.document(string(text))
	return len(r.errors) == 0 && (top == nil || len(top.Content) == 0 && (top.Kind == yaml.MappingNode || top.Tag == "!!null"))
}

// currency reads an ISO 4217 code.
func (r *fileReader) currency(n *yaml.Node, path string) string {
	code := r.text(n, path)
	if code == "" {
		return dollar
	}
	unit, err := currency.ParseISO(code)
	if err != nil {
		r.fail(n, path, "%q is not an ISO 4217 currency code such as USD, EUR or GBP", clip(code))
		return dollar
	}
	return unit.String()
}

func (r *fileReader) readRates(n *yaml.Node, path string) (rates []Rate) {
	r.items(n, path, func(item *yaml.Node, path string) {
		var rate Rate
		r.fields(item, path, map[string]field{
			"from": func(n *yaml.Node, path string) { rate.From = r.moment(n, path) },
			"usd":  func(n *yaml.Node, path string) { rate.Dollar = r.positive(n, path) },
		})
		switch {
		case rate.From.IsZero() || rate.Dollar.IsZero():
			if item.Kind == yaml.MappingNode {
				r.fail(item, path, "a rate has from and usd")
			}
		case slices.ContainsFunc(rates, func(o Rate) bool { return o.From.Equal(rate.From) }):
			r.fail(item, joined(path, "from"), "another rate also begins at %s", rate.From.Format(time.DateOnly))
		default:
			rates = append(rates, rate)
		}
	})
	slices.SortFunc(rates, func(a, b Rate) int { return a.From.Compare(b.From) })
	return rates
}

// kind describes which fields the rules of a section have.
type kind int

const (
	ownPrices kind = iota // prices or a factor
	factors               // a factor
	overlay               // prices or a factor, and their source
)

func (r *fileReader) readRules(n *yaml.Node, path string, of kind) (rules []Rule) {
	lines := map[string][]int{} // indices into rules, by the key of the scope
	at := []int{}
	r.items(n, path, func(item *yaml.Node, path string) {
		if r.rules++; r.rules == maxFileRules+1 {
			r.fail(item, path, "the file has more than %d rules", maxFileRules)
		}
		if r.rules > maxFileRules {
			return
		}
		rule := r.rule(item, path, of)
		if rule.Name == "" {
			rule.Name = path
		}
		key := rule.Scope.key()
		for _, i := range lines[key] {
			if rule.Scope.overlaps(&rules[i].Scope) && rule.collides(&rules[i]) {
				r.fail(item, path,
					"its dates overlap those of the rule in line %d, which is for the same calls; "+
						"set from and to so that one ends where the other begins", at[i])
				break
			}
		}
		lines[key] = append(lines[key], len(rules))
		rules, at = append(rules, rule), append(at, item.Line)
	})
	return rules
}

// collides reports whether two rules with the same scope set the same price.
func (r *Rule) collides(o *Rule) bool {
	if (r.Factor == nil) != (o.Factor == nil) {
		return false
	}
	for _, u := range Units {
		key := u.PriceKey
		_, own := r.Prices[key]
		_, other := o.Prices[key]
		if own && other || r.Factor != nil && r.affects(key) && o.affects(key) {
			return true
		}
	}
	return false
}

func (r *fileReader) rule(n *yaml.Node, path string, of kind) (rule Rule) {
	failed := len(r.errors)
	s := &rule.Scope
	known := r.scope(s)
	maps.Copy(known, map[string]field{
		"name":  func(n *yaml.Node, path string) { rule.Name = r.text(n, path) },
		"from":  func(n *yaml.Node, path string) { s.From = r.moment(n, path) },
		"to":    func(n *yaml.Node, path string) { s.To = r.moment(n, path) },
		"units": func(n *yaml.Node, path string) { rule.Units = r.units(n, path) },
		"factor": func(n *yaml.Node, path string) {
			factor := r.decimal(n, path)
			rule.Factor = &factor
		},
	})
	if of != factors {
		known["prices"] = func(n *yaml.Node, path string) { rule.Prices = r.prices(n, path) }
		known["whole"] = func(n *yaml.Node, path string) { rule.Whole = r.flag(n, path) }
	}
	if of == overlay {
		known["source"] = func(n *yaml.Node, path string) { rule.Origin = r.origin(n, path) }
	}
	r.fields(n, path, known)
	if err := s.Recurring.read(); err != nil {
		r.fail(n, path, "%v", err)
	}
	if len(r.errors) == failed {
		r.check(n, path, &rule, of)
	}
	return rule
}

// scope returns the readers of the conditions of a rule or plan, except from and to.
func (r *fileReader) scope(s *Scope) map[string]field {
	known := map[string]field{
		"provider":         func(n *yaml.Node, path string) { s.Provider = r.texts(n, path) },
		"model":            func(n *yaml.Node, path string) { s.Model = r.texts(n, path) },
		"tenant":           func(n *yaml.Node, path string) { s.Tenant = r.texts(n, path) },
		"tag":              func(n *yaml.Node, path string) { s.Tags = r.tags(n, path) },
		"service_tier":     func(n *yaml.Node, path string) { s.ServiceTier = r.texts(n, path) },
		"speed":            func(n *yaml.Node, path string) { s.Speed = r.texts(n, path) },
		"region":           func(n *yaml.Node, path string) { s.Region = r.texts(n, path) },
		"max_input_tokens": func(n *yaml.Node, path string) { s.MaxInput = r.count(n, path) },
		"refusal":          func(n *yaml.Node, path string) { s.Refusal = r.texts(n, path) },
		"refusal_not":      func(n *yaml.Node, path string) { s.RefusalNot = r.texts(n, path) },
	}
	maps.Copy(known, r.recurring(&s.Recurring))
	return known
}

// check checks how the fields of a rule fit together.
func (r *fileReader) check(n *yaml.Node, path string, rule *Rule, of kind) {
	s := rule.Scope
	switch {
	case !s.From.IsZero() && !s.To.IsZero() && !s.From.Before(s.To):
		r.fail(n, joined(path, "to"), "the rule ends before it begins, or at the same time")
	case of == factors && rule.Factor == nil:
		r.fail(n, path, "the rule has no factor, as 0.85 for 15 percent less or 1.2 for 20 percent more")
	case (rule.Factor == nil) == (len(rule.Prices) == 0):
		r.fail(n, path, "a rule has either prices or a factor")
	case rule.Factor == nil && rule.Units != nil:
		r.fail(n, joined(path, "units"), "units can only be used with a factor")
	case rule.Factor != nil && rule.Whole:
		r.fail(n, joined(path, "whole"), "whole can only be used with prices")
	}
}

func (r *fileReader) tags(n *yaml.Node, path string) map[string]string {
	tags := map[string]string{}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.fail(n, path, "expected tags, as \"{customer: c1}\"")
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		tags[n.Content[i].Value] = r.text(n.Content[i+1], joined(path, n.Content[i].Value))
	}
	return tags
}

// units reads the price keys to which a factor applies.
func (r *fileReader) units(n *yaml.Node, path string) []string {
	keys := r.texts(n, path)
	for _, key := range keys {
		if _, ok := unitsByPriceKey[key]; !ok && key != TokenUnits && key != "" {
			r.fail(n, path, "there is no unit %q%s", clip(key),
				hint(key, append(sortedKeys(unitsByPriceKey), TokenUnits)))
		}
	}
	return keys
}

func (r *fileReader) prices(n *yaml.Node, path string) Set {
	set := Set{}
	known := make(map[string]field, len(unitsByPriceKey))
	for key := range unitsByPriceKey {
		known[key] = func(n *yaml.Node, path string) { set[key] = r.price(n, path) }
	}
	r.fields(n, path, known)
	return set
}

func (r *fileReader) price(n *yaml.Node, path string) (p Price) {
	if n.Kind != yaml.MappingNode {
		p.Base = r.decimal(n, path)
		return p
	}
	r.fields(n, path, map[string]field{
		"base": func(n *yaml.Node, path string) { p.Base = r.decimal(n, path) },
		"tiers": func(n *yaml.Node, path string) {
			r.items(n, path, func(n *yaml.Node, path string) { p.Tiers = append(p.Tiers, r.tier(n, path)) })
		},
	})
	slices.SortFunc(p.Tiers, func(a, b Tier) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	for i := 1; i < len(p.Tiers); i++ {
		if p.Tiers[i].Start == p.Tiers[i-1].Start {
			r.fail(n, path, "two tiers start at %d", p.Tiers[i].Start)
		}
	}
	return p
}

func (r *fileReader) tier(n *yaml.Node, path string) (t Tier) {
	var price *decimal.Decimal
	r.fields(n, path, map[string]field{
		"start": func(n *yaml.Node, path string) { t.Start = r.count(n, path) },
		"price": func(n *yaml.Node, path string) { d := r.decimal(n, path); price = &d },
	})
	if price == nil || t.Start == 0 {
		r.fail(n, path, "a tier has start and price")
		return t
	}
	t.Price = *price
	return t
}

func (r *fileReader) origin(n *yaml.Node, path string) *Origin {
	o := &Origin{}
	r.fields(n, path, map[string]field{
		"url":  func(n *yaml.Node, path string) { o.URL = r.text(n, path) },
		"text": func(n *yaml.Node, path string) { o.Text = r.text(n, path) },
		"date": func(n *yaml.Node, path string) { o.Date = r.moment(n, path).Format(time.DateOnly) },
	})
	if o.URL == "" || o.Text == "" || o.Date == "" {
		r.fail(n, path, "a source has url, text and date")
	}
	return o
}

package prices

import (
	"fmt"
	"maps"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/shopspring/decimal"
)

// maxPlans bounds the plans of a price file.
const maxPlans = 100

func (r *fileReader) readPlans(n *yaml.Node, path string) (plans []Plan) {
	lines := []int{}
	r.items(n, path, func(item *yaml.Node, path string) {
		if len(lines) == maxPlans {
			r.fail(item, path, "the file has more than %d plans", maxPlans)
			return
		}
		plan := r.plan(item, path)
		for i := range plans {
			if plan.Scope.key() == plans[i].Scope.key() && plan.Scope.overlaps(&plans[i].Scope) {
				r.fail(item, path,
					"its dates overlap those of the plan in line %d, which is for the same calls; "+
						"set from and to so that one ends where the other begins", lines[i])
				break
			}
		}
		plans, lines = append(plans, plan), append(lines, item.Line)
	})
	return plans
}

func (r *fileReader) plan(n *yaml.Node, path string) Plan {
	failed := len(r.errors)
	p := Plan{Name: path, Zone: DefaultZone}
	var price *decimal.Decimal
	var from, to *yaml.Node // read when the zone is known
	known := r.scope(&p.Scope)
	maps.Copy(known, map[string]field{
		"name":     func(n *yaml.Node, path string) { p.Name = r.text(n, path) },
		"price":    func(n *yaml.Node, path string) { d := r.decimal(n, path); price = &d },
		"currency": func(n *yaml.Node, path string) { p.Currency = r.currency(n, path) },
		"period":   r.planPeriod,
		"zone":     func(n *yaml.Node, path string) { p.Zone = r.zone(n, path) },
		"from":     func(n *yaml.Node, _ string) { from = n },
		"to":       func(n *yaml.Node, _ string) { to = n },
	})
	r.fields(n, path, known)
	if err := p.Scope.Recurring.read(); err != nil {
		r.fail(n, path, "%v", err)
	}
	if n.Kind == yaml.MappingNode && price == nil {
		r.fail(n, path, "a plan has a price for each month, as \"price: 200\"")
	}
	if len(r.errors) > failed {
		return p
	}
	p.Price = *price
	zone, err := time.LoadLocation(p.Zone)
	if err != nil { // unlikely, since zone was read
		r.fail(n, joined(path, "zone"), "%v", err)
		return p
	}
	if from != nil {
		p.Scope.From = r.momentIn(from, joined(path, "from"), zone)
	}
	if to != nil {
		p.Scope.To = r.momentIn(to, joined(path, "to"), zone)
	}
	if len(r.errors) == failed && from != nil && to != nil && !p.Scope.From.Before(p.Scope.To) {
		r.fail(to, joined(path, "to"), "the plan ends before it begins, or at the same time")
	}
	return p
}

func (r *fileReader) planPeriod(n *yaml.Node, path string) {
	if n.Value != "month" {
		r.fail(n, path, "%q is no period of a plan; its price is for a month, as \"period: month\"", clip(n.Value))
	}
}

// planCurrencies checks the currencies of the plans in n, and sets those that are not stated. It
// is called when the currency of the file is known.
func (r *fileReader) planCurrencies(n *yaml.Node, o *Operator) {
	for i := range o.Plans {
		p := &o.Plans[i]
		switch p.Currency {
		case "":
			p.Currency = o.Currency
		case o.Currency, dollar:
		default:
			path := fmt.Sprintf("plans[%d].currency", i)
			if o.Currency == dollar {
				r.fail(n.Content[i], path, "%s is not USD, the currency of the file", p.Currency)
			} else {
				r.fail(n.Content[i], path, "%s is neither %s, the currency of the file, nor USD, of which the file has rates",
					p.Currency, o.Currency)
			}
		}
	}
}

package grouping

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/pricing/prices"
)

// Pricing selects the tables and times whose prices apply.
type Pricing struct {
	Table       string    // the hash of the table of costs; "" for the current one
	AsOf        time.Time // re-price at the prices of this time; zero for the time of each call
	Prices      string    // re-price by the table with this hash; "" for the table of costs
	WhatIfModel string    // price the same tokens as calls of this model; "" for none
	Currency    string    // the expected currency of costs; "" for the currency of the table
	Plans       bool      // divide the prices of the plans of the table of costs
}

// reprices reports whether costs at other prices are requested.
func (q *Pricing) reprices() bool { return !q.AsOf.IsZero() || q.Prices != "" }

// Pricers compute the figures of a report. Pricers of figures that are not requested are nil.
type Pricers struct {
	Cost, Repriced, WhatIf *cost.Pricer
	// List has the list prices by which the prices of plans are divided; nil if no plan may cover calls
	// of the tenant.
	List  *cost.Pricer
	Split cost.Split

	from, to time.Time
}

// Prices describes the tables by which the costs of a report were computed.
type Prices struct {
	Hash string `json:"hash"` // of cost
	// List is where the list prices of cost are from, with their date.
	List         prices.Release `json:"list"`
	Currency     string         `json:"currency"`
	RepricedHash *string        `json:"repriced_hash"` // of repriced_cost; null if that was not asked for
	AsOf         *time.Time     `json:"as_of"`         // null for the prices of the time of each call
	WhatIfModel  *string        `json:"what_if_model"`
}

// Pricers returns the pricers of a tenant's usage in a range; a zero time is no limit.
func (q *Pricing) Pricers(ctx context.Context, r *query.Reader, tenant string, from, to time.Time) (*Pricers, error) {
	table, err := tableOf(ctx, r, q.Table)
	if err != nil {
		return nil, err
	}
	if q.Currency != "" && q.Currency != table.Currency() {
		return nil, problem.BadParameter("currency", "There are no prices in the currency "+q.Currency+".",
			table.Currency())
	}
	if q.Prices != "" && !q.AsOf.IsZero() {
		return nil, problem.BadParameter("as_of",
			"as_of and prices are both given, and repriced_cost is computed by one of them.",
			"as_of without prices", "prices without as_of")
	}
	other := table
	if q.Prices != "" {
		if other, err = tableOf(ctx, r, q.Prices); err != nil {
			return nil, err
		}
	}
	tables := []*prices.Effective{table, other}
	planned := q.Plans && planshare.Covers(table, tenant)
	if planned {
		tables = append(tables, table.Listed())
	}
	p := &Pricers{Split: cost.SplitOf(tables...).Within(from, to), from: from, to: to}
	p.Cost = &cost.Pricer{Table: table, Tenant: tenant, Split: p.Split}
	if planned {
		p.List = &cost.Pricer{Table: table.Listed(), Tenant: tenant, Split: p.Split}
	}
	if q.reprices() {
		p.Repriced = &cost.Pricer{Table: other, Tenant: tenant, Split: p.Split, At: q.AsOf}
	}
	if q.WhatIfModel != "" {
		p.WhatIf = &cost.Pricer{Table: other, Tenant: tenant, Split: p.Split, At: q.AsOf, Model: q.WhatIfModel}
		call := &cost.Cell{Key: cost.Key{Valid: true, At: time.Now().UnixNano()}, Quantities: cost.Quantities{Calls: 1}}
		if _, err := p.WhatIf.Price(call); err != nil && cost.ReasonOf(err) != prices.NoRate {
			return nil, problem.BadParameter("what_if_model",
				fmt.Sprintf("what_if_model %q has no known prices: %s.", q.WhatIfModel, err),
				"a model of the price table")
		}
	}
	return p, nil
}

func tableOf(ctx context.Context, r *query.Reader, hash string) (*prices.Effective, error) {
	table, err := r.Prices(ctx, hash)
	if _, unknown := errors.AsType[*prices.UnknownHash](err); unknown {
		return nil, problem.BadParameter("prices", "There is no price table with the hash "+hash+".",
			"the hash of a price table that was current once")
	}
	return table, err
}

// Narrow removes from the split the values that do not affect the prices of some models. Tags
// remain.
func (p *Pricers) Narrow(models []prices.Named) {
	tables, as := p.tables()
	tags := p.Split.Tags
	p.Split = cost.SplitFor(append(slices.Clone(models), as...), tables...).Within(p.from, p.to)
	p.Split.Tags = tags
	for _, pricer := range []*cost.Pricer{p.Cost, p.Repriced, p.WhatIf, p.List} {
		if pricer != nil {
			pricer.Split = p.Split
		}
	}
}

// SplitByModel returns the splits of records of some models.
func (p *Pricers) SplitByModel(models []prices.Named) cost.ModelSplits {
	tables, as := p.tables()
	return cost.SplitByModel(models, as, p.from, p.to, tables...)
}

// tables returns the price tables of the pricers, and the model whose prices WhatIf uses.
func (p *Pricers) tables() (tables []*prices.Effective, as []prices.Named) {
	tables = []*prices.Effective{p.Cost.Table}
	if p.Repriced != nil {
		tables = append(tables, p.Repriced.Table)
	}
	if p.List != nil {
		tables = append(tables, p.List.Table)
	}
	if p.WhatIf != nil {
		tables = append(tables, p.WhatIf.Table)
		as = []prices.Named{{Model: p.WhatIf.Model}}
	}
	return tables, as
}

// Describe returns the tables by which the pricers compute.
func (p *Pricers) Describe() Prices {
	d := Prices{Hash: p.Cost.Table.Hash(), Currency: p.Cost.Table.Currency(), List: p.Cost.Table.Table().Source}
	for _, other := range []*cost.Pricer{p.Repriced, p.WhatIf} {
		if other != nil && !other.At.IsZero() {
			at := other.At.UTC()
			d.AsOf = &at
		}
	}
	if p.Repriced != nil {
		hash := p.Repriced.Table.Hash()
		d.RepricedHash = &hash
	}
	if p.WhatIf != nil {
		d.WhatIfModel = &p.WhatIf.Model
	}
	return d
}

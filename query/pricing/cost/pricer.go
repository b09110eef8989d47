package cost

import (
	"context"
	"fmt"
	"time"

	"tapedeck/query/pricing/prices"
)

// CallsUnknown is the reason of a cost that depends on the unknown number of calls in a total.
const CallsUnknown prices.Reason = "calls_unknown"

// Pricer prices cells.
type Pricer struct {
	Table  *prices.Effective
	Tenant string
	Split  Split
	// At is the time whose prices apply; if it is zero, the time of each call.
	At time.Time
	// Model is the model whose prices apply; if it is empty, the model of each call.
	Model string

	rates  map[class]*rates
	others map[[2]string]string // see inexact
}

// Tables finds price tables. *query.Reader implements it.
type Tables interface {
	// Prices returns the table with a hash, or the current one for "".
	Prices(ctx context.Context, hash string) (*prices.Effective, error)
}

// PricerFor returns a pricer for the calls of a tenant by the current table, at the prices of the
// time of each call.
func PricerFor(ctx context.Context, tables Tables, tenant string) (*Pricer, error) {
	table, err := tables.Prices(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the price table: %w", err)
	}
	return &Pricer{Table: table, Tenant: tenant, Split: SplitOf(table)}, nil
}

// Price returns the cost of the records of a cell. The error is a *prices.Unpriced.
func (p *Pricer) Price(c *Cell) (*prices.Cost, error) {
	if !c.Valid {
		return nil, &prices.Unpriced{Reason: prices.InvalidUsage,
			Detail: "a bucket has a negative number of tokens, or fewer than its parts"}
	}
	cell := prices.Cell{Call: p.call(&c.Key), InputTokens: c.InputTokens, Calls: c.Calls}
	used := c.Usage()
	priced, err := p.Table.PriceCell(cell, used)
	if err != nil || !c.Rest {
		return priced, err
	}
	for _, start := range p.Split.TierStarts {
		if start >= c.InputTokens {
			break
		}
		cell.InputTokens = start
		lower, err := p.Table.PriceCell(cell, used)
		if err != nil || !lower.Total.Equal(priced.Total) {
			return nil, &prices.Unpriced{Reason: CallsUnknown,
				Detail: "the price depends on the number of calls in a total"}
		}
	}
	return priced, nil
}

// PriceRecord does the same as Price for a cell of one record. It keeps the prices of the classes of
// records, so that it is faster for many records, and not safe for concurrent use.
func (p *Pricer) PriceRecord(c *Cell) (*prices.Cost, error) {
	if c.Valid && !c.Rest {
		r := p.ratesOf(&c.Key)
		if !r.looked {
			r.looked = true
			r.prepared, r.err = p.Table.Prepare(prices.Cell{Call: p.call(&c.Key), InputTokens: c.InputTokens})
			if r.err != nil && ReasonOf(r.err) == prices.NoRate {
				r.err = nil // its text has the date of the record: Price returns it
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		if r.prepared != nil {
			var counts [unitCounts]prices.Count
			if priced, ok := r.prepared.Price(c.counts(counts[:0]), c.Calls, c.InputTokens); ok {
				return priced, nil
			}
		}
	}
	return p.Price(c)
}

// PlanOf returns the index of the plan that covers the records of a cell; -1 if there is none. The cells
// must be those of a split that tells apart the calls of plans, as prices.Effective.Listed does.
func (p *Pricer) PlanOf(c *Cell) int {
	r := p.ratesOf(&c.Key)
	if !r.planned {
		r.planned, r.plan = true, p.Table.PlanOf(p.call(&c.Key), c.InputTokens)
	}
	return r.plan
}

func (p *Pricer) call(k *Key) prices.Call {
	c := prices.Call{Provider: k.Provider, Model: k.Model, At: time.Unix(0, k.At).UTC(), Tenant: p.Tenant,
		ServiceTier: k.ServiceTier, Speed: k.Speed, Region: k.Region}
	if !p.At.IsZero() {
		c.At = p.At
	}
	if p.Model != "" {
		c.Provider, c.Model = "", p.Model
	}
	for i, value := range k.Tags {
		if value != "" {
			if c.Tags == nil {
				c.Tags = map[string]string{}
			}
			c.Tags[p.Split.Tags[i]] = value
		}
	}
	return c
}

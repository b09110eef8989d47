package charges

import (
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/grouping"
)

// row is a usage record as sql/charges.sql selects it.
type row struct {
	Session        string   `ch:"session"`
	Stream         string   `ch:"stream"`
	ID             string   `ch:"usage_id"`
	Scope          string   `ch:"scope"`
	Mode           string   `ch:"mode"`
	Span           string   `ch:"span_id"`
	Run            string   `ch:"run_id"`
	Node           string   `ch:"node_id"`
	Agent          string   `ch:"agent"`
	Model          string   `ch:"model"`
	Provider       string   `ch:"provider"`
	ServiceTier    string   `ch:"service_tier"`
	Speed          string   `ch:"speed"`
	Region         string   `ch:"region"`
	Dialect        string   `ch:"dialect"`
	At             int64    `ch:"at_ns"`
	Version        uint64   `ch:"version"`
	Stated         uint64   `ch:"stated"`
	RequestedModel string   `ch:"requested_model"`
	StatedCost     string   `ch:"stated_cost"`
	StatedCurrency string   `ch:"stated_currency"`
	RequestID      string   `ch:"request_id"`
	MessageID      string   `ch:"message_id"`
	WebFetches     int64    `ch:"web_fetches"`
	PackedTags     string   `ch:"packed_tags"` // see tagMaps
	CellTags       []string `ch:"cell_tags"`
	cost.Quantities
}

// charge prices a record.
func (r *row) charge(tenant string, p *grouping.Pricers, tags *tagMaps) *Charge {
	q := &r.Quantities
	c := &Charge{
		ChargeID: ID(tenant, r.Session, r.ID), At: query.Instant(r.At),
		Tenant: tenant, SessionID: r.Session, StreamID: r.Stream,
		RunID: r.Run, NodeID: r.Node, SpanID: r.Span, Agent: r.Agent, Tags: tags.unpack(r.PackedTags),
		Provider: query.Named(r.Provider), Model: query.Named(r.Model), RequestedModel: query.Named(r.RequestedModel),
		ServiceTier: r.ServiceTier, Speed: r.Speed, Region: r.Region, Dialect: r.Dialect,
		RequestID: r.RequestID, MessageID: r.MessageID, Scope: r.Scope, Mode: r.Mode,
		IsCall: q.Calls > 0, Parts: q.Parts, WebFetches: r.WebFetches, Quantities: *q,
		Tokens:     cost.TokensOf(q.Input, q.CacheRead, q.CacheWrite5m, q.CacheWrite1h, q.Output, q.Reasoning),
		Stated:     statedCost(r.StatedCost, r.StatedCurrency),
		PricesHash: p.Cost.Table.Hash(), Rules: []string{}, Lines: []Line{},
		Position: positionOf(r),
	}
	if r.Stated != 0 {
		total := r.Stated
		c.StatedTotal = &total
	}
	if *q == (cost.Quantities{}) {
		return c // it costs nothing, see cost.Pricer.Of
	}
	cell := r.cell()
	c.price(cell, p.Cost)
	if p.Repriced != nil {
		c.Repriced, c.RepricedUnpriced, c.RepricedDetail = otherCost(cell, p.Repriced)
	}
	if p.WhatIf != nil {
		c.WhatIf, c.WhatIfUnpriced, c.WhatIfDetail = otherCost(cell, p.WhatIf)
	}
	return c
}

// otherCost returns the cost of a cell at other prices, or the reason for which it is unknown.
func otherCost(cell *cost.Cell, p *cost.Pricer) (*cost.Money, *prices.Reason, string) {
	priced, err := p.PriceRecord(cell)
	if err != nil {
		reason := cost.ReasonOf(err)
		return nil, &reason, err.Error()
	}
	return &cost.Money{Amount: priced.Total, Currency: p.Table.Currency()}, nil, ""
}

// price sets the cost of a charge, or the reason for which it is unknown.
func (c *Charge) price(cell *cost.Cell, p *cost.Pricer) {
	priced, err := p.PriceRecord(cell)
	if err != nil {
		reason := cost.ReasonOf(err)
		c.Unpriced, c.UnpricedDetail = &reason, err.Error()
		return
	}
	currency := p.Table.Currency()
	c.Cost = &cost.Money{Amount: priced.Total, Currency: currency}
	if priced.List.Valid {
		c.ListCost = &cost.Money{Amount: priced.List.Decimal, Currency: currency}
	}
	if priced.Contracted.Valid {
		c.ContractedCost = &cost.Money{Amount: priced.Contracted.Decimal, Currency: currency}
	}
	c.Rules = query.OrEmpty(priced.Rules)
	if priced.Provider != nil && priced.Model != nil {
		c.PriceProvider, c.PriceModel = &priced.Provider.ID, &priced.Model.ID
		c.PricedAs = query.Named(p.PricedAs(cell))
	}
	c.Lines = make([]Line, 0, len(priced.Lines))
	for i := range priced.Lines {
		l := &priced.Lines[i]
		c.Lines = append(c.Lines, Line{
			Unit: l.Unit.Name, Quantity: l.Quantity, Per: l.Unit.Per, Price: l.Price, Cost: l.Cost,
			ListPrice: l.List, ContractedPrice: l.Contracted,
		})
	}
}

// cell returns a cell with only this record.
func (r *row) cell() *cost.Cell {
	return &cost.Cell{
		Key: cost.Key{
			Provider: r.Provider, Model: r.Model, ServiceTier: r.ServiceTier, Speed: r.Speed, Region: r.Region,
			At: r.At, InputTokens: r.Prompt(), Valid: r.Possible(), Rest: r.Calls == 0, Tags: r.CellTags,
		},
		Quantities: r.Quantities,
	}
}

// statedCost parses the cost that a source states; nil if it states none.
func statedCost(text, currency string) *cost.Money {
	if text == "" {
		return nil
	}
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return nil
	}
	return &cost.Money{Amount: amount, Currency: currency}
}

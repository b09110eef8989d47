package usagereport

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/cost"
	"tapedeck/query/prices"
	"tapedeck/query/reports"
	"tapedeck/query/sessionlist"
)

// Groupings are what a usage report can be grouped by; "tag:" stands for a tag of any name.
var Groupings = []string{
	"tenant", "session", "run", "agent", "node", "model", "provider", "dialect", "service_tier", "status", reports.TagPrefix,
}

// Query asks what was used.
type Query struct {
	Tenant      string
	From, To    time.Time           // half open: reported at From or later, and before To; zero for no limit
	Zone        *time.Location      // in which periods begin; nil stands for UTC
	Granularity reports.Granularity // "" stands for Whole
	GroupBy     []string
	Sessions    *sessionlist.Filter // only the usage of these sessions; nil for all

	Order Order // "" stands for ByPeriod
	// Top is how many groups are listed, the first by the order over the whole range; the
	// others are one row in each period. 0 for all.
	Top int

	AsOf        time.Time // re-price at the prices of this time; zero for the time of each call
	Prices      string    // re-price by the table with this hash; "" for the current one
	WhatIfModel string    // price the same tokens as calls of this model; "" for none
	Currency    string    // that costs are expected in; "" for that of the table
}

// reprices reports whether the costs at other prices are asked for.
func (q *Query) reprices() bool { return !q.AsOf.IsZero() || q.Prices != "" }

// columns are the columns for groupings.
var columns = map[string]string{
	"tenant": "{tenant:String}", "session": "records.session_id", "run": "records.run_id", "agent": "records.agent",
	"model": "records.model", "provider": "records.provider", "dialect": "records.dialect", "service_tier": "records.service_tier",
	"status": "call_spans.span_status",
	// Nodes go by their names; one whose span is not known goes by its id.
	"node": "if(nodes.node_name != '', nodes.node_name, records.node_id)",
}

// pricers compute the figures of a report; those that are not asked for are nil.
type pricers struct {
	cost, repriced, whatIf *cost.Pricer
	split                  cost.Split
}

func newPricers(ctx context.Context, r *query.Reader, q *Query) (*pricers, error) {
	table, err := r.Prices(ctx, "")
	if err != nil {
		return nil, err
	}
	if q.Currency != "" && q.Currency != table.Currency() {
		return nil, problem.BadParameter("currency", "There are no prices in the currency "+q.Currency+".", table.Currency())
	}
	other := table
	if q.Prices != "" {
		other, err = r.Prices(ctx, q.Prices)
		if _, unknown := errors.AsType[*prices.UnknownHash](err); unknown {
			return nil, problem.BadParameter("prices", "There is no price table with the hash "+q.Prices+".",
				"the hash of a price table that was current once")
		}
		if err != nil {
			return nil, err
		}
	}
	p := &pricers{split: cost.SplitOf(table, other).Within(q.From, q.To)}
	p.cost = &cost.Pricer{Table: table, Tenant: q.Tenant, Split: p.split}
	if q.reprices() {
		p.repriced = &cost.Pricer{Table: other, Tenant: q.Tenant, Split: p.split, At: q.AsOf}
	}
	if q.WhatIfModel != "" {
		p.whatIf = &cost.Pricer{Table: other, Tenant: q.Tenant, Split: p.split, At: q.AsOf, Model: q.WhatIfModel}
		call := &cost.Cell{Key: cost.Key{Valid: true}, Quantities: cost.Quantities{Calls: 1}}
		if _, err := p.whatIf.Price(call); err != nil {
			return nil, problem.BadParameter("what_if_model", "The prices of this model are not known: "+err.Error()+".",
				"a model of the price table")
		}
	}
	return p, nil
}

// base returns what the statements of a query have in common.
func (q *Query) base(ctx context.Context, r *query.Reader, split cost.Split) (*reports.Report, error) {
	b := reports.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Table, b.Shape.ID, b.Shape.Period = "usage", "usage_id", b.Granularity.Expression("at_ns")
	for _, name := range q.GroupBy {
		if tag, ok := strings.CutPrefix(name, reports.TagPrefix); ok {
			b.Shape.Groups = append(b.Shape.Groups, query.TagValue(b.Shape.Tag(tag)))
			continue
		}
		if columns[name] == "" {
			return nil, reports.NoGrouping(name, Groupings)
		}
		b.Shape.Groups = append(b.Shape.Groups, columns[name])
	}
	for _, tag := range split.Tags {
		b.Shape.CellTags = append(b.Shape.CellTags, query.TagValue(b.Shape.Tag(tag)))
	}
	b.Args = b.Args.And(query.TagArgs(b.Shape.Tags)).And(split.Parameters())
	b.Shape.ByNode, b.Shape.ByStatus = slices.Contains(q.GroupBy, "node"), slices.Contains(q.GroupBy, "status")
	if q.Sessions != nil {
		ids, err := sessionlist.Matching(ctx, r, q.Tenant, q.Sessions)
		if err == nil {
			err = b.Restrict(ids)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, b.FindExceptions(ctx, r)
}

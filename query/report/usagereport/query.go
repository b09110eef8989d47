package usagereport

import (
	"context"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

var statements = grouping.Statements("report/usagereport")

// Groupings lists the allowed groupings of a usage report; "tag:" stands for any tag.
var Groupings = []string{
	"tenant", "session", "run", "agent", "node", "model", "provider",
	"dialect", "service_tier", "status", grouping.TagPrefix,
}

// Query selects usage.
type Query struct {
	Tenant      string
	From, To    time.Time            // half open, by when usage was reported; zero for no limit
	Zone        *time.Location       // the zone of periods; nil means UTC
	Granularity grouping.Granularity // "" means Whole
	GroupBy     []string
	Sessions    *sessionfilter.Filter // only the usage of these sessions; nil for all
	SessionIDs  []string              // only the usage of these sessions, in place of Sessions; nil for all

	Order Order // "" means ByPeriod
	// Top is the number of listed groups, the first by Order over the whole range. The other groups
	// are summed up in one row per period. 0 lists all groups.
	Top int

	AsOf        time.Time // re-price at the prices of this time; zero for the time of each call
	Prices      string    // re-price by the table with this hash; "" for the current one
	WhatIfModel string    // price the same tokens as calls of this model; "" for none
	Currency    string    // the expected currency of costs; "" for the currency of the table

	// Lines asks for the costs by lines of a bill.
	Lines bool
	// Findings asks for what of the usage of the sessions does not add up.
	Findings bool
	// Plans asks for what of the prices of plans falls on the calls.
	Plans bool
	// Cells is the form of recorded text in CSV.
	Cells tabular.Cells
}

// columns maps groupings to their columns.
var columns = map[string]string{
	"tenant": "{tenant:String}", "session": "records.session_id", "run": "records.run_id", "agent": "records.agent",
	"model": "records.model", "provider": "records.provider",
	"dialect": "records.dialect", "service_tier": "records.service_tier",
	"status": "call_spans.span_status",
	// Nodes are named by their names; a node whose span is unknown is named by its id.
	"node": "if(nodes.node_name != '', nodes.node_name, records.node_id)",
}

// pricing returns the selection of price tables of a query.
func (q *Query) pricing() *grouping.Pricing {
	return &grouping.Pricing{AsOf: q.AsOf, Prices: q.Prices, WhatIfModel: q.WhatIfModel, Currency: q.Currency,
		Plans: q.Plans}
}

// cells returns what the statements of a query have in common, with cells by which the pricers price.
func (q *Query) cells(ctx context.Context, r *query.Reader, p *grouping.Pricers) (*grouping.Report, error) {
	b, err := q.base(ctx, r, p.Split)
	if err != nil {
		return nil, err
	}
	models, err := b.FindModels(ctx, r)
	if err != nil {
		return nil, err
	}
	p.Narrow(models)
	b.Shape.Splits = p.SplitByModel(models)
	b.Args = b.Args.And(p.Split.Parameters()).And(b.Shape.Splits.Parameters())
	if p.List != nil {
		b.SplitMonths(planshare.Zones(p.Cost.Table, q.Tenant))
	}
	return b, nil
}

// base returns what the statements of a query have in common.
func (q *Query) base(ctx context.Context, r *query.Reader, split cost.Split) (*grouping.Report, error) {
	b := grouping.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Period = b.Granularity.Key("at_ns")
	if err := b.UseCounted(ctx, r); err != nil {
		return nil, err
	}
	for _, name := range q.GroupBy {
		if tag, ok := strings.CutPrefix(name, grouping.TagPrefix); ok {
			b.Shape.Groups = append(b.Shape.Groups, b.Shape.TagValue(b.Shape.Tag(tag)))
			continue
		}
		if columns[name] == "" {
			return nil, grouping.NoGrouping(name, Groupings)
		}
		b.Shape.Groups = append(b.Shape.Groups, columns[name])
	}
	for _, tag := range split.Tags {
		b.Shape.CellTags = append(b.Shape.CellTags, b.Shape.TagValue(b.Shape.Tag(tag)))
	}
	b.Args = b.Args.And(query.TagArgs(b.Shape.Tags)).And(split.Parameters())
	b.Shape.ByNode, b.Shape.ByStatus = slices.Contains(q.GroupBy, "node"), slices.Contains(q.GroupBy, "status")
	ids := q.SessionIDs
	if ids == nil && q.Sessions != nil {
		var err error
		if ids, err = sessionfilter.Matching(ctx, r, q.Tenant, q.Sessions); err != nil {
			return nil, err
		}
	}
	if ids != nil || q.Sessions != nil {
		if err := b.Restrict(ids); err != nil {
			return nil, err
		}
	}
	return b, nil
}

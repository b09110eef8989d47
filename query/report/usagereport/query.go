package usagereport

import (
	"context"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
)

var statements = grouping.Statements("report/usagereport")

// Groupings are what a usage report can be grouped by; "tag:" stands for a tag of any name.
var Groupings = []string{
	"tenant", "session", "run", "agent", "node", "model", "provider", "dialect", "service_tier", "status", grouping.TagPrefix,
}

// Query asks what was used.
type Query struct {
	Tenant      string
	From, To    time.Time            // half open: reported at From or later, and before To; zero for no limit
	Zone        *time.Location       // in which periods begin; nil means UTC
	Granularity grouping.Granularity // "" means Whole
	GroupBy     []string
	Sessions    *sessionfilter.Filter // only the usage of these sessions; nil for all

	Order Order // "" means ByPeriod
	// Top is how many groups are listed, the first by the order over the whole range; the
	// others are one row in each period. 0 for all.
	Top int

	AsOf        time.Time // re-price at the prices of this time; zero for the time of each call
	Prices      string    // re-price by the table with this hash; "" for the current one
	WhatIfModel string    // price the same tokens as calls of this model; "" for none
	Currency    string    // that costs are expected in; "" for that of the table

	// Lines asks for the costs by lines of a bill.
	Lines bool
	// Findings asks for what of the usage of the sessions does not add up.
	Findings bool
}

// columns are the columns for groupings.
var columns = map[string]string{
	"tenant": "{tenant:String}", "session": "records.session_id", "run": "records.run_id", "agent": "records.agent",
	"model": "records.model", "provider": "records.provider", "dialect": "records.dialect", "service_tier": "records.service_tier",
	"status": "call_spans.span_status",
	// Nodes go by their names; one whose span is not known goes by its id.
	"node": "if(nodes.node_name != '', nodes.node_name, records.node_id)",
}

// pricing returns by which tables the figures of a query are computed.
func (q *Query) pricing() *grouping.Pricing {
	return &grouping.Pricing{AsOf: q.AsOf, Prices: q.Prices, WhatIfModel: q.WhatIfModel, Currency: q.Currency}
}

// base returns what the statements of a query have in common.
func (q *Query) base(ctx context.Context, r *query.Reader, split cost.Split) (*grouping.Report, error) {
	b := grouping.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Table, b.Shape.ID, b.Shape.Period = "usage", "usage_id", b.Granularity.Expression("at_ns")
	settled := false
	if !q.Findings { // which are those of the records as they are stored
		var err error
		if settled, err = b.UseSettled(ctx, r); err != nil {
			return nil, err
		}
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
	if q.Sessions != nil {
		ids, err := sessionfilter.Matching(ctx, r, q.Tenant, q.Sessions)
		if err == nil {
			err = b.Restrict(ids)
		}
		if err != nil {
			return nil, err
		}
	}
	if settled {
		return b, nil
	}
	return b, b.FindExceptions(ctx, r)
}

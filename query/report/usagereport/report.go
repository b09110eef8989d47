// Package usagereport reports the usage of models and its cost, by periods and groups.
package usagereport

import (
	"maps"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/report/grouping"
)

// Report is the answer: a row for each period and group with usage, in order, and their sum.
type Report struct {
	From        *time.Time           `json:"from"`
	To          *time.Time           `json:"to"`
	Timezone    string               `json:"timezone"`
	Granularity grouping.Granularity `json:"granularity"`
	GroupBy     []string             `json:"group_by"`
	Prices      grouping.Prices      `json:"prices"`
	Items       []Row                `json:"items"`
	Totals      Figures              `json:"totals"`
	// Plans is what the prices of plans are for in the report; nil if they were not asked for.
	Plans []planshare.Use `json:"plans,omitzero"`
	Next  *string         `json:"next"` // always null: a report is whole
	*query.Completeness

	found   bool // whether findings were requested
	planned bool // whether plans were requested
}

// Row is the usage of one group in one period.
type Row struct {
	grouping.Period
	Group grouping.Group // in JSON each value is a field of the row
	Others
	Figures
}

// Others counts the groups that a row sums up.
type Others struct {
	// OtherGroups is the number of groups that a row sums up because they are not among the first
	// of a report; 0 for a row of one group. The names in the group of such a row are null.
	OtherGroups int `json:"other_groups"`
}

// Figures are the usage and its costs. Costs of different kinds are never added.
type Figures struct {
	cost.UsageTotals
	// Repriced is the cost at the prices that as_of or prices selects. WhatIf is the cost of the
	// same tokens as another model. Each is null if it was not requested or is unknown.
	Repriced         *cost.Money     `json:"repriced_cost"`
	RepricedUnpriced uint64          `json:"repriced_unpriced_calls"`
	RepricedReasons  []cost.Unpriced `json:"repriced_unpriced_reasons,omitempty"`
	WhatIf           *cost.Money     `json:"what_if_cost"`
	WhatIfUnpriced   uint64          `json:"what_if_unpriced_calls"`
	WhatIfReasons    []cost.Unpriced `json:"what_if_unpriced_reasons,omitempty"`
	// Stated are the costs that the sources state, one sum per currency.
	Stated []cost.Stated `json:"stated_costs"`
	// PlanCost is what of the prices of plans falls on the calls. It is beside the cost and no part of
	// it. It is nil if it was not requested, and if no plan covers the calls.
	PlanCost *cost.Money `json:"plan_cost,omitempty"`
	// Lines are the costs by lines of a bill; nil if they were not asked for.
	Lines cost.Lines `json:"-"`
	// Findings are those of the sessions; nil if they were not asked for.
	Findings *Found `json:"findings,omitempty"`
}

// Add adds the figures of other calls.
func (f *Figures) Add(o *Figures) {
	f.UsageTotals.Add(o.UsageTotals)
	f.Repriced, f.WhatIf = cost.Sum(f.Repriced, o.Repriced), cost.Sum(f.WhatIf, o.WhatIf)
	f.RepricedUnpriced += o.RepricedUnpriced
	f.WhatIfUnpriced += o.WhatIfUnpriced
	f.RepricedReasons = cost.Merge(f.RepricedReasons, o.RepricedReasons)
	f.WhatIfReasons = cost.Merge(f.WhatIfReasons, o.WhatIfReasons)
	f.Stated = cost.AddStated(f.Stated, o.Stated)
	f.PlanCost = cost.Sum(f.PlanCost, o.PlanCost)
	f.Findings = f.Findings.with(o.Findings)
	f.Lines = f.Lines.With(maps.Clone(o.Lines))
}

// figuresOf returns the figures of a cell.
func figuresOf(p *grouping.Pricers, row *cost.TotalsRow) Figures {
	f := Figures{UsageTotals: row.Totals(p.Cost)}
	if p.Repriced != nil {
		other := p.Repriced.Of(&row.Cell)
		f.Repriced, f.RepricedUnpriced, f.RepricedReasons = other.Cost, other.UnpricedCalls, other.Unpriced
	}
	if p.WhatIf != nil {
		other := p.WhatIf.Of(&row.Cell)
		f.WhatIf, f.WhatIfUnpriced, f.WhatIfReasons = other.Cost, other.UnpricedCalls, other.Unpriced
	}
	return f
}

// UnmarshalJSON parses a row in the form of the API.
func (u *Row) UnmarshalJSON(text []byte) (err error) {
	u.Group, err = grouping.UnmarshalRow(text, Groupings, &u.Period, &u.Others, &u.Figures)
	return err
}

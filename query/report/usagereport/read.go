package usagereport

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/report/grouping"
)

// row is a cell of a period and a group.
type row struct {
	Period string   `ch:"period"`
	Groups []string `ch:"groups"`
	cost.TotalsRow
	cost.StatedRow
}

// Read computes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	items := []Row{}
	report, err := scan(ctx, r, q, nil, func(row *Row) error {
		items = append(items, *row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	report.Items = items
	report.arrange(q.Order, q.Top)
	return report, nil
}

// Each calls visit with each row of the report, in order of periods and groups. It keeps none of them.
func Each(ctx context.Context, r *query.Reader, q Query, visit func(*Row) error) error {
	_, err := scan(ctx, r, q, nil, visit)
	return err
}

// scan computes the totals of a report and calls visit with each of its rows, in order of periods
// and groups. It calls begin, which may be nil, with the report before the first row.
func scan(
	ctx context.Context, r *query.Reader, q Query, begin func(*Report) error, visit func(*Row) error,
) (*Report, error) {
	p, err := q.pricing().Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return nil, err
	}
	b, err := q.cells(ctx, r, p)
	if err != nil {
		return nil, err
	}
	report := &Report{
		From: b.From, To: b.To, Timezone: b.Zone.String(), Granularity: b.Granularity,
		GroupBy: query.OrEmpty(q.GroupBy), Prices: p.Describe(), Items: []Row{},
	}
	report.Totals.Stated, report.found, report.planned = []cost.Stated{}, q.Findings, q.Plans
	if begin != nil {
		if err := begin(report); err != nil {
			return nil, err
		}
	}
	f := folder{report: report, base: b, pricers: p, by: q.GroupBy, visit: visit, lines: q.Lines}
	if q.Findings {
		if f.found, err = findSessions(ctx, r, b); err != nil {
			return nil, err
		}
	}
	if p.List != nil {
		if f.plans, err = q.plans(ctx, r, p); err != nil {
			return nil, err
		}
	}
	if err := query.EachInPlace(b.Context(ctx), r, statements, "usage_report", b.Shape, b.Args, f.add); err != nil {
		return nil, err
	}
	err = f.flush()
	if q.Plans {
		report.Plans = f.uses(time.Unix(0, r.Now()), &q)
	}
	if f.found != nil {
		report.Totals.Findings = report.Totals.Findings.with(&Found{all: f.found, in: f.found.others}).sum()
	}
	return report, err
}

// folder combines adjacent cells into rows of a report.
type folder struct {
	report  *Report
	base    *grouping.Report
	pricers *grouping.Pricers
	found   *foundSessions     // nil if findings are not asked for
	plans   *planshare.Divider // nil if plans are not asked for, or cover no calls
	lines   bool               // they are asked for
	by      []string
	visit   func(*Row) error
	rows    int
	last    *Row            // the row to which cells are added; nil before the first
	period  string          // of the last row
	groups  []string        // of the last row
	parsed  grouping.Period // period
}

// add adds a cell, of which it keeps no pointer.
func (f *folder) add(cell *row) error {
	figures := figuresOf(f.pricers, &cell.TotalsRow)
	if f.lines {
		figures.Lines = f.pricers.Cost.Lines(&cell.Cell)
	}
	if f.plans != nil {
		figures.PlanCost = f.plans.Share(f.pricers.List, &cell.Cell)
	}
	var err error
	if figures.Stated, err = cell.StatedRow.Stated(); err != nil {
		return fmt.Errorf("cost that a source states: %w", err)
	}
	if f.last != nil && f.period == cell.Period && slices.Equal(f.groups, cell.Groups) {
		f.last.Figures.Add(&figures)
		return nil
	}
	if err := f.flush(); err != nil {
		return err
	}
	if f.rows == grouping.MaxRows {
		return grouping.ErrTooManyRows
	}
	if f.rows == 0 || f.period != cell.Period {
		if f.parsed, err = f.base.Granularity.Period(cell.Period, f.base.Zone); err != nil {
			return err
		}
	}
	f.rows++
	f.period, f.groups = cell.Period, slices.Clone(cell.Groups)
	f.last = &Row{Period: f.parsed, Group: grouping.NewGroup(f.by, f.groups), Figures: figures}
	return nil
}

// flush passes on the last row.
func (f *folder) flush() error {
	if f.last == nil {
		return nil
	}
	f.last.Findings = f.found.of(f.period, f.groups)
	f.report.Totals.Add(&f.last.Figures)
	err := f.visit(f.last)
	f.last = nil
	return err
}

package usagereport

import (
	"context"
	"fmt"
	"slices"

	"tapedeck/query"
	"tapedeck/query/cost"
	"tapedeck/query/reports"
)

// row is a cell of a period and a group.
type row struct {
	Period string   `ch:"period"`
	Groups []string `ch:"groups"`
	query.SpentRow
	cost.StatedRow
}

// Read makes the report.
func Read(ctx context.Context, r *query.Reader, q Query) (*Report, error) {
	p, err := q.pricing().Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return nil, err
	}
	b, err := q.base(ctx, r, p.Split)
	if err != nil {
		return nil, err
	}
	models, err := b.FindModels(ctx, r)
	if err != nil {
		return nil, err
	}
	p.Narrow(models)
	b.Args = b.Args.And(p.Split.Parameters())
	report := &Report{
		From: b.From, To: b.To, Timezone: b.Zone.String(), Granularity: b.Granularity,
		GroupBy: query.OrEmpty(q.GroupBy), Prices: p.Describe(), Items: []Row{},
	}
	f := folder{report: report, base: b, pricers: p, by: q.GroupBy}
	if err := query.Each(b.Context(ctx), r, statements, "usage_report", b.Shape, b.Args, f.add); err != nil {
		return nil, err
	}
	report.Totals.Stated = []cost.Stated{}
	for i := range report.Items {
		report.Totals.Add(&report.Items[i].Figures)
	}
	report.arrange(q.Order, q.Top)
	return report, nil
}

// folder makes rows of a report from their cells, which come one after another.
type folder struct {
	report  *Report
	base    *reports.Report
	pricers *reports.Pricers
	by      []string
	period  string   // of the last row
	groups  []string // as well
}

func (f *folder) add(cell *row) error {
	figures := figuresOf(f.pricers, &cell.SpentRow)
	var err error
	if figures.Stated, err = cell.StatedRow.Stated(); err != nil {
		return fmt.Errorf("cost that a source states: %w", err)
	}
	items := &f.report.Items
	if n := len(*items); n > 0 && f.period == cell.Period && slices.Equal(f.groups, cell.Groups) {
		(*items)[n-1].Figures.Add(&figures)
		return nil
	}
	if len(*items) == reports.MaxRows {
		return reports.ErrTooManyRows
	}
	period, err := f.base.Granularity.Period(cell.Period, f.base.Zone)
	if err != nil {
		return err
	}
	f.period, f.groups = cell.Period, cell.Groups
	*items = append(*items, Row{Period: period, Group: reports.NewGroup(f.by, cell.Groups), Figures: figures})
	return nil
}
